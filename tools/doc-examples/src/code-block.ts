/** A block of code in a document or in the TSDoc of a source file. */
export interface CodeBlock {
  /** Where it is, from the root of the repository. */
  readonly file: string;
  /** The line of its first line of code. */
  readonly line: number;
  readonly language: "js" | "ts";
  readonly code: string;
  /** What a fragment takes for given: the code in a comment `<!-- given … -->` just before it, which readers do not see. */
  readonly given: string;
}

const GIVEN = /<!-- given\n((?:(?!-->)[^])*)\n-->\n\s*$/;

/** The blocks of JavaScript and TypeScript in a Markdown text, or in the comments of a source file. */
export function codeBlocks(file: string, text: string): CodeBlock[] {
  const markdown = file.endsWith(".md") ? text : text.replaceAll(/^ *\*(?: |$)/gm, "");
  return [...markdown.matchAll(/^```(js|ts)\n([^]*?)^```$/gm)].map(({ index, 1: language, 2: code = "" }) => {
    const before = markdown.slice(0, index);
    return {
      file,
      line: before.split("\n").length + 1,
      language: language === "js" ? "js" : "ts",
      code,
      given: GIVEN.exec(before)?.[1] ?? "",
    };
  });
}
