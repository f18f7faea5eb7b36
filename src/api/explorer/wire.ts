import { z } from "zod";

// Schemas of the values in results. They describe (OpenAPI, tests); no answer is parsed by them.

/** 20 bytes, lower case. */
export const address = z.string().regex(/^0x[0-9a-f]{40}$/);

/** 20 bytes, lower case, or empty where there is none. */
export const addressOrEmpty = z.string().regex(/^(0x[0-9a-f]{40})?$/);

/** 32 bytes, lower case. */
export const hash = z.string().regex(/^0x[0-9a-f]{64}$/);

/** Bytes, lower case, `0x` for none. */
export const data = z.string().regex(/^0x([0-9a-f]{2})*$/);

/** Unsigned integer as decimal text. */
export const decimal = z.string().regex(/^\d+$/);

/** Unsigned integer as decimal text, or empty where there is none. */
export const decimalOrEmpty = z.string().regex(/^\d*$/);

/** Unsigned number as decimal text without an exponent. */
export const decimalFraction = z.string().regex(/^\d+(\.\d+)?$/);

/** Minimal hex quantity. */
export const quantity = z.string().regex(/^0x(0|[1-9a-f][0-9a-f]*)$/);

/** The standard of a token. */
export const tokenType = z.enum(["ERC-20", "ERC-404", "ERC-721", "ERC-1155"]);

/** Truth value as `0` or `1`. */
export const flag = z.enum(["0", "1"]);

/** Etherscan's text for an unknown price of a token in US dollars. */
export const UNKNOWN_PRICE = "0.000000000000000000";

/** The fields of a record in the answer's order: for each its schema, and its value of a row; undefined leaves it out. */
export type Fields<Row, Shape extends z.ZodRawShape> = {
  readonly [Name in keyof Shape]: readonly [Shape[Name], (row: Row) => z.output<Shape[Name]>];
};

/** Returns the key of a row, which a cursor names. */
export type KeyOf<Row> = (row: Row) => readonly (string | number)[];

/** Declares a record of answers; `id` is its name in the API's document. A list with cursors needs the keys of its rows. */
export function defineRecord<Row>(keyOf: KeyOf<Row> = () => [], id?: string) {
  return <Shape extends z.ZodRawShape>(fields: Fields<Row, Shape>) => {
    const entries = Object.entries(fields as Fields<Row, z.ZodRawShape>);
    const shape = Object.fromEntries(entries.map(([name, [schema]]) => [name, schema]));
    const schema = z.object(shape as unknown as { -readonly [Name in keyof Shape]: Shape[Name] });
    // A copy is filled faster than an object that grows.
    const blank: Record<string, unknown> = Object.fromEntries(entries);
    const [names, values] = [Object.keys(fields), entries.map(([, [, value]]) => value)];
    return {
      /** For records that have more, or other, fields: one of the same name keeps its place. */
      fields,
      schema: id === undefined ? schema : schema.meta({ id }),
      present(this: void, row: Row) {
        const shown = { ...blank };
        for (let at = 0; at < names.length; at++) shown[names[at] as string] = values[at]?.(row);
        return shown as { -readonly [Name in keyof Shape]: z.output<Shape[Name]> };
      },
      keyOf,
    };
  };
}

/** Declares a record with the fields of `both` dialects and those that one has in their place, or besides. */
export function defineRecords<Row>(keyOf?: KeyOf<Row>, id?: string) {
  return <Both extends z.ZodRawShape, One extends z.ZodRawShape, Other extends z.ZodRawShape>(
    fields: Readonly<{
      both: Fields<Row, Both>;
      blockscout?: Fields<Row, One>;
      etherscan?: Fields<Row, Other>;
    }>,
  ) => {
    const { both, blockscout, etherscan } = fields as Record<string, Fields<Row, z.ZodRawShape>>;
    return {
      blockscout: defineRecord(keyOf, id && `Blockscout${id}`)({ ...both, ...blockscout }),
      etherscan: defineRecord(keyOf, id && `Etherscan${id}`)({ ...both, ...etherscan }),
    };
  };
}

/** Returns the schemas of lists of a record in both dialects. */
export function listOf<Schema extends z.ZodType>(record: {
  blockscout: { schema: Schema };
  etherscan: { schema: Schema };
}) {
  return {
    blockscout: z.array(record.blockscout.schema),
    etherscan: z.array(record.etherscan.schema),
  };
}
