/**
 * The transaction type of an OP-stack rollup's deposits (OP Stack specification, "Deposits"). Each of its blocks begins with
 * one. Nobody signs it, and nobody pays for its gas there.
 */
export const DEPOSIT_TYPE = 126;
