import { z } from "zod";

/** Declares a record: for each field its schema, and its value of a row. For records of up to some thousand rows. */
export function defineRecord<Row>() {
  return <Shape extends z.ZodRawShape>(
    fields: {
      [Name in keyof Shape]: readonly [Shape[Name], (row: Row) => z.output<Shape[Name]>];
    },
  ) => {
    const entries = Object.entries(fields);
    return {
      schema: z.object(
        Object.fromEntries(entries.map(([name, [schema]]) => [name, schema])) as {
          -readonly [Name in keyof Shape]: Shape[Name];
        },
      ),
      present: (row: Row) =>
        Object.fromEntries(entries.map(([name, [, value]]) => [name, value(row)])) as {
          -readonly [Name in keyof Shape]: z.output<Shape[Name]>;
        },
    };
  };
}
