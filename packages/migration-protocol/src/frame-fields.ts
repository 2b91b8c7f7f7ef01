/** What a field holds: a `uint` is an integer from 0 to 2^53 - 1, and `json` is any JSON, which is not looked at. */
export type FieldKind = "string" | "number" | "uint" | "json";

/** The fields of an object, in the order in which they are checked. The name of an optional one ends in `?`. */
export interface Fields {
  readonly [name: string]: FieldKind | Fields;
}

/** The fields of every frame by its type, which is not among them. */
export interface FrameTable {
  readonly [type: string]: Fields;
}

/** The frames that a table describes. */
export type FrameOf<Table extends FrameTable> = {
  [Type in keyof Table]: { type: Type } & ObjectOf<Table[Type]>;
}[keyof Table];

type ObjectOf<F> = {
  [Name in keyof F as Name extends `${string}?` ? never : Name]: ValueOf<F[Name]>;
} & {
  [Name in keyof F as Name extends `${infer Known}?` ? Known : never]?: ValueOf<F[Name]>;
};

type ValueOf<Field> = Field extends FieldKind
  ? { string: string; number: number; uint: number; json: unknown }[Field]
  : ObjectOf<Field>;
