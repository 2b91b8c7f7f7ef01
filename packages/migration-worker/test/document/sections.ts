/** Puts each generated section of a document between its marks. */
export function withSections(document: string, sections: Readonly<Record<string, string>>): string {
  let text = document;
  for (const [name, content] of Object.entries(sections)) {
    const begin = `<!-- begin ${name} -->`;
    const end = `<!-- end ${name} -->`;
    const [before, rest] = text.split(begin);
    const after = rest?.split(end)[1];
    if (before === undefined || after === undefined) throw new Error(`the document has no marks for ${name}`);
    text = `${before}${begin}\n\n${content}\n\n${end}${after}`;
  }
  return text;
}
