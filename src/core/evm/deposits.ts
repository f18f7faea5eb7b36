/** Type of an OP-stack deposit, unsigned and unpaid; each block begins with one (OP Stack specification, "Deposits"). */
export const DEPOSIT_TYPE = 126;
