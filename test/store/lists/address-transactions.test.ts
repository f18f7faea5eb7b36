import { expect, it } from "vitest";
import { listTransactionsOfAddress } from "../../../src/store/lists/address-transactions.ts";
import { openIndexedNode } from "../../support/indexed-node.ts";
import { scriptedAddress } from "../../support/scripted-node/block.ts";
import { createRandom } from "../../support/world/random.ts";

const SENDER = scriptedAddress("sender");
const FIRST = 1_700_000_000;

it.each([
  ["in one load", 0, 30],
  ["one by one", 1_000, 12],
])(
  "transactions are bounded by time where the times of blocks go back, indexed %s",
  async (_, finalityDepth, blocks) => {
    const random = createRandom(blocks);
    const index = await openIndexedNode();
    const drawn = () => ({
      transactions: [{ from: SENDER }],
      timestampSeconds: FIRST + random.integer(20),
    });
    index.node.chain.mine(...Array.from({ length: finalityDepth === 0 ? blocks : 1 }, drawn));
    await index.start({ finalityDepth });
    await index.inStep();
    if (finalityDepth > 0) await index.follow(...Array.from({ length: blocks }, drawn));
    // The state after a roll-back bounds the next blocks, too.
    index.node.chain.reorg(2, drawn(), drawn(), drawn());
    await index.inStep();
    const { chain } = index.node;
    const times = Array.from({ length: chain.height + 1 }, (_, number) => ({
      number,
      time: Number(chain.at(number)?.block.timestamp),
    })).slice(1);
    const bounds = [undefined, ...Array.from({ length: 22 }, (_, second) => FIRST - 1 + second)];
    for (const from of bounds) {
      for (const to of bounds) {
        const found = await listTransactionsOfAddress(
          index.sql,
          { address: SENDER, timestamps: { from, to } },
          "asc",
          { limit: 100, skip: 0 },
        );
        const expected = times.filter(
          ({ time }) => time >= (from ?? 0) && time <= (to ?? Infinity),
        );
        expect(
          found.map(({ blockNumber }) => blockNumber),
          `${from} to ${to}`,
        ).toEqual(expected.map(({ number }) => number));
      }
    }
  },
);
