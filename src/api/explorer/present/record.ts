import { z } from "zod";

/** The fields of a record in the answer's order: for each its schema, and its value of a row; undefined leaves it out. */
export type Fields<Row, Shape extends z.ZodRawShape> = {
  readonly [Name in keyof Shape]: readonly [Shape[Name], (row: Row) => z.output<Shape[Name]>];
};

/** Returns the key of a row, which a cursor names. */
export type KeyOf<Row> = (row: Row) => readonly (string | number)[];

/** Declares a record of answers; `id` is its name in the API's document. A list with cursors needs the keys of its rows. */
export function defineRecord<Row>(id?: string, keyOf: KeyOf<Row> = () => []) {
  return <Shape extends z.ZodRawShape>(fields: Fields<Row, Shape>) => {
    const entries = Object.entries(fields as Fields<Row, z.ZodRawShape>);
    const shape = Object.fromEntries(entries.map(([name, [schema]]) => [name, schema]));
    const schema = z.object(shape as unknown as { -readonly [Name in keyof Shape]: Shape[Name] });
    // A copy is filled faster than an object that grows.
    const blank: Record<string, unknown> = Object.fromEntries(entries);
    return {
      /** For records that have more, or other, fields: one of the same name keeps its place. */
      fields,
      schema: id === undefined ? schema : schema.meta({ id }),
      present(this: void, row: Row) {
        const shown = { ...blank };
        for (const [name, [, present]] of entries) shown[name] = present(row);
        return shown as { -readonly [Name in keyof Shape]: z.output<Shape[Name]> };
      },
      keyOf,
    };
  };
}

/** Returns the schemas of lists of a record in both dialects. */
export function listOf<Blockscout extends z.ZodType, Etherscan extends z.ZodType>(record: {
  blockscout: { schema: Blockscout };
  etherscan: { schema: Etherscan };
}) {
  return {
    blockscout: z.array(record.blockscout.schema),
    etherscan: z.array(record.etherscan.schema),
  };
}
