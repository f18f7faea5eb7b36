import type { OracleBlock } from "../oracle/decode.ts";
import type { Oracle } from "../oracle/oracle.ts";
import { type Answerer, fail, type Question, succeed, type WireAnswer } from "./wire.ts";

// The rules of docs/wire.md, "Gas", for the blocks of anvil. Its base fees are EIP-1559's except
// for the first block after `anvil_reorg`, which has the next base fee of the branch before. In
// rational numbers: pairs of integers where a quotient would be rounded.

const WINDOW = 20;
const GWEI = 10n ** 9n;
/** anvil's answer for `eth_maxPriorityFeePerGas`. */
const NODE_TIP = GWEI;

/** The base fee of the block after the head; the head's own where only the node could answer and does not. */
function nextBaseFee({ oracle, nodeIsElsewhere = false, ...node }: Question): bigint {
  const head = oracle.blocks.at(-1);
  if (!head || head.baseFeePerGas === null) return 0n;
  const isByRule = oracle.blocks.slice(-6).every((block, index, blocks) => {
    const parent = blocks[index - 1];
    return !parent || block.baseFeePerGas === baseFeeAfter(parent);
  });
  if (isByRule) return baseFeeAfter(head);
  return nodeIsElsewhere ? head.baseFeePerGas : (node.nextBaseFee ?? baseFeeAfter(head));
}

function baseFeeAfter({ baseFeePerGas, gasUsed, gasLimit }: OracleBlock): bigint {
  const fee = baseFeePerGas ?? 0n;
  const target = gasLimit / 2n;
  if (gasUsed === target) return fee;
  if (gasUsed < target) return fee - (fee * (target - gasUsed)) / target / 8n;
  const change = (fee * (gasUsed - target)) / target / 8n;
  return fee + (change === 0n ? 1n : change);
}

/** The tip at or below which a percentage of the window's gas was paid for. */
function percentile(oracle: Oracle, percent: bigint): bigint {
  const window = oracle.blocks.slice(-WINDOW);
  const paid = oracle.transactions
    .filter(({ gasPrice }) => gasPrice > 0n)
    .flatMap(({ blockNumber, gasPrice, gasUsed }) => {
      const block = window.find(({ number }) => number === blockNumber);
      return block ? [{ tip: gasPrice - (block.baseFeePerGas ?? 0n), gasUsed }] : [];
    })
    .sort((left, right) => (left.tip < right.tip ? -1 : 1));
  const total = paid.reduce((sum, { gasUsed }) => sum + gasUsed, 0n);
  let sold = 0n;
  for (const { tip, gasUsed } of paid) {
    sold += gasUsed;
    if (sold * 100n >= total * percent) return tip;
  }
  return NODE_TIP;
}

function decimal(value: bigint, places: number): string {
  const digits = String(value).padStart(places + 1, "0");
  return `${digits.slice(0, -places)}.${digits.slice(-places)}`.replace(/\.?0+$/, "");
}

function inEtherscan(answer: (question: Question) => WireAnswer): Answerer {
  return (question) =>
    question.dialect === "blockscout"
      ? fail("blockscout", "Unknown module", 400)
      : answer(question);
}

/** Prices of gas. */
export const gasoracle = inEtherscan((question) => {
  const { oracle } = question;
  const base = nextBaseFee(question);
  const price = (percent: bigint) => decimal(base + percentile(oracle, percent), 9);
  const ratios = oracle.blocks.slice(-5).map(({ gasUsed, gasLimit }) => {
    const scale = 10n ** 15n;
    const [floor, rest] = [(gasUsed * scale) / gasLimit, (gasUsed * scale) % gasLimit];
    return decimal(rest * 2n >= gasLimit ? floor + 1n : floor, 15);
  });
  return succeed({
    LastBlock: String(oracle.head.number),
    SafeGasPrice: price(10n),
    ProposeGasPrice: price(50n),
    FastGasPrice: price(90n),
    suggestBaseFee: decimal(base, 9),
    gasUsedRatio: ratios.join(","),
  });
});

/** Seconds until a price is taken. */
export const gasestimate = inEtherscan((question) => {
  const { oracle, dialect, parameters } = question;
  const text = parameters.get("gasprice") ?? "2000000000";
  if (!/^\d+$/.test(text) || BigInt(text) === 0n) return fail(dialect, "Invalid gasprice format");
  const price = BigInt(text);
  const newest = oracle.blocks.slice(-101);
  const distances = Math.max(1, newest.length - 1);
  const seconds = (newest.at(-1)?.timestamp ?? 0) - (newest[0]?.timestamp ?? 0);
  const pace = Math.max(1, seconds / distances);
  const window = oracle.blocks.slice(-WINDOW);
  const taking = window.filter((block) => {
    const base = block.baseFeePerGas ?? 0n;
    const above = oracle.transactions
      .filter(({ blockNumber, gasPrice }) => blockNumber === block.number && gasPrice > base)
      .map(({ gasPrice }) => gasPrice);
    const isOpen = Number(block.gasUsed) < 0.95 * Number(block.gasLimit);
    return price >= base && (isOpen || above.length === 0 || above.some((paid) => price >= paid));
  });
  const base = nextBaseFee(question);
  if (price >= base && taking.length > 0) {
    return succeed(String(Math.min(86_400, Math.ceil((pace * window.length) / taking.length))));
  }
  let [empty, lowered] = [0, Number(base)];
  for (; lowered > Number(price); empty++) lowered *= 7 / 8;
  return succeed(String(Math.min(86_400, Math.ceil((empty + 1) * pace))));
});
