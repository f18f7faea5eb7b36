import { expect, test } from "vitest";
import { wordOfAddress, ZERO_ADDRESS } from "../../../../src/core/evm/address.ts";
import { hexConcat } from "../../../../src/core/evm/hex.ts";
import { createTestApp } from "../../../support/app.ts";
import { ask } from "../../../support/ask.ts";
import { openIndexedNode } from "../../../support/indexed-node.ts";
import { scriptedAddress } from "../../../support/scripted-node/block.ts";
import { TRANSFER, TRANSFER_SINGLE, word } from "../../../support/scripted-node/ledger.ts";

const token = scriptedAddress("token of ids");
const [ann, bob] = [scriptedAddress("ann"), scriptedAddress("bob")];
const nobody = wordOfAddress(ZERO_ADDRESS);

test("a token of ids is listed by them alone, whether or not its amounts have to be read", async () => {
  const index = await openIndexedNode();
  await index.start();
  const single = [TRANSFER_SINGLE, nobody, nobody, wordOfAddress(ann)];
  const logs = [
    { address: token, topics: single, data: hexConcat(word(7), word(3)) },
    { address: token, topics: [TRANSFER, nobody, wordOfAddress(bob)], data: word(5) },
  ];
  await index.follow({ transactions: [{ logs }] });
  const api = await createTestApp({ sql: index.sql, nodeUrl: index.node.url });
  const list = async () => {
    const answers = [ann, bob].map((owner) =>
      ask(api.app, `module=account&action=tokenlist&address=${owner}`),
    );
    return (await Promise.all(answers)).map(({ result }) =>
      result.map((row: { id?: string; balance: string }) => [row.id, row.balance]),
    );
  };
  const settled = await list();
  await index.sql`UPDATE tokens SET irregular = true`;
  expect(await list()).toEqual(settled);
  await index.sql`UPDATE token_balances SET block_number = NULL`;
  expect(await list()).toEqual(settled);
  expect(settled).toEqual([[["7", "3"]], []]);
  await api.close();
});
