/** The client under test has done something else than a rule says. */
export class Violation extends Error {
  override readonly name = "Violation";
  readonly expected: string;
  readonly got: string;

  constructor(expected: string, got: string) {
    super(`expected ${expected}, got ${got}`);
    this.expected = expected;
    this.got = got;
  }
}
