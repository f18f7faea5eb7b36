/** Parameters of a benchmark's chain. Shares are from 0 to 1. */
export interface ChainShape {
  seed: number;
  /** Number of the newest block at the start; block 0 is empty. */
  head: number;
  /** Blocks below this one can be asked for by their header only, which saves memory. Block 0 is always whole. */
  servedFrom: number;
  transactionsPerBlock: number;
  /** On average; a block has exactly this many times its transactions. */
  logsPerTransaction: number;
  /** Internal calls of a contract call, on average. */
  framesPerCall: number;
  withdrawalsPerBlock: number;
  accounts: number;
  /** Share of the places for an account that the hottest one takes, besides what its rank gives it. */
  hotShare: number;
  tokens: { erc20: number; erc721: number; erc1155: number };
  /** Tokens that do not keep to their standard: names as bytes32, no answer for metadata, transfers without topics. */
  oddTokenShare: number;
  /** Share of the logs. */
  transferShare: number;
  /** Share of the ERC-1155 transfers. */
  batchShare: number;
  /** Share of the transactions. */
  failedShare: number;
  creationShare: number;
  /** How often the transaction types 0 to 4 occur, next to each other. */
  typeWeights: readonly [number, number, number, number, number];
  /** Length of the code of a created contract. */
  codeBytes: number;
}

/** The shape with what is left out as on a busy chain. */
export function chainShape(given: Partial<ChainShape> = {}): ChainShape {
  return {
    seed: 1,
    head: 2_000,
    servedFrom: 0,
    transactionsPerBlock: 100,
    logsPerTransaction: 2,
    framesPerCall: 4,
    withdrawalsPerBlock: 16,
    accounts: 20_000,
    hotShare: 0.08,
    tokens: { erc20: 300, erc721: 60, erc1155: 30 },
    oddTokenShare: 0.05,
    transferShare: 0.6,
    batchShare: 0.2,
    failedShare: 0.02,
    creationShare: 0.005,
    typeWeights: [15, 2, 78, 2, 3],
    codeBytes: 3_000,
    ...given,
  };
}
