import pc from "picocolors";

/** What is shown: lines that stay, and under them one that changes. No line shows a secret. */
export class Screen {
  readonly #out: NodeJS.WriteStream;
  readonly #jobs: NodeJS.WriteStream;
  readonly #secrets = new Set<string>();
  #status = "";
  #isSilent = false;

  /** `out` takes what this command says, `jobs` what the jobs write. */
  constructor(out: NodeJS.WriteStream, jobs: NodeJS.WriteStream) {
    this.#out = out;
    this.#jobs = jobs;
  }

  /** Never shows this text from now on, whoever writes it. */
  hide(secret: string): void {
    if (secret !== "") this.#secrets.add(secret);
  }

  hidden(text: string): string {
    let shown = text;
    for (const secret of this.#secrets) shown = shown.replaceAll(secret, "[token]");
    return shown;
  }

  print(text: string): void {
    if (!this.#isSilent) this.#write(this.#out, text);
  }

  good(text: string): void {
    this.print(`${pc.green("✔")} ${text}`);
  }

  bad(text: string): void {
    this.print(`${pc.red("✖")} ${text}`);
  }

  note(text: string): void {
    this.print(pc.dim(`  ${text}`));
  }

  hint(text: string): void {
    this.print(`  ${pc.yellow("→")} ${text}`);
  }

  /** Says no more: what ends because this command ends is no news. Jobs may still have their last word. */
  silence(): void {
    this.status("");
    this.#isSilent = true;
  }

  /** A line that a job wrote. */
  jobLine(prefix: string, line: string): void {
    this.#write(this.#jobs, `${prefix} ${line}`);
  }

  /** Replaces the last line of a terminal; without one there is none. */
  status(text: string): void {
    if (!this.#out.isTTY) return;
    // A line that wraps could not be taken back. A terminal that does not know its width says 0.
    const line = [...text].slice(0, (this.#out.columns || 80) - 1).join("");
    if (line === this.#status) return;
    this.#status = line;
    this.#out.write(`\r\u001b[K${pc.dim(line)}`);
  }

  #write(stream: NodeJS.WriteStream, text: string): void {
    if (this.#status !== "") this.#out.write("\r\u001b[K");
    stream.write(`${this.hidden(text)}\n`);
    if (this.#status !== "") this.#out.write(pc.dim(this.#status));
  }
}
