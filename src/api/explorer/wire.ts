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
