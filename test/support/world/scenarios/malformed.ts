import { type Address, concat, type Hex, zeroAddress } from "viem";
import { word } from "../contracts.ts";
import {
  addressWord,
  batchData,
  emitLog,
  eventTopic,
  stringAnswer,
  TRANSFER,
  TRANSFER_BATCH,
  TRANSFER_SINGLE,
  teach,
} from "../events.ts";
import type { Scenario } from "../scene.ts";

type Shape = { topics: Hex[]; data: Hex };

/** Logs that carry a transfer's signature without being the transfer of a standard. */
function malformedTransfers(from: Address, to: Address): Shape[] {
  const parties = [addressWord(from), addressWord(to)];
  const id = word(7);
  const dirty: Hex = `0x${"ff".repeat(12)}${to.slice(2)}`;
  return [
    { topics: [TRANSFER], data: concat([...parties, id]) },
    { topics: [TRANSFER], data: concat([...parties, id, id]) },
    { topics: [TRANSFER], data: concat(parties) },
    { topics: [TRANSFER], data: "0x" },
    { topics: [TRANSFER, ...parties.slice(0, 1)], data: concat([...parties.slice(1), id]) },
    { topics: [TRANSFER, ...parties.slice(0, 1)], data: id },
    { topics: [TRANSFER, ...parties], data: "0x" },
    { topics: [TRANSFER, ...parties], data: "0x07" },
    { topics: [TRANSFER, ...parties], data: concat([id, id]) },
    { topics: [TRANSFER, ...parties], data: concat([id, "0x00"]) },
    { topics: [TRANSFER, ...parties, id], data: id },
    { topics: [TRANSFER, ...parties, id], data: "0x01" },
    { topics: [TRANSFER, addressWord(from), dirty], data: id },
    { topics: [TRANSFER, addressWord(from), dirty, id], data: "0x" },
  ];
}

/** Logs that carry a multi-token transfer's signature, most of them unreadable. */
function malformedBatches(from: Address, to: Address): Shape[] {
  const parties = [addressWord(from), addressWord(from), addressWord(to)];
  const good = batchData([1n, 2n], [3n, 4n]);
  const words = (...values: bigint[]): Hex => concat(values.map((value) => word(value)));
  const batches: Hex[] = [
    batchData([1n, 2n], [3n]),
    batchData([1n], [3n, 4n]),
    batchData([], [3n]),
    "0x",
    words(64n),
    good.slice(0, -2) as Hex,
    good.slice(0, -64) as Hex,
    concat([good, word(9)]),
    words(2n ** 255n, 64n, 0n, 0n),
    words(64n, 2n ** 64n, 0n, 0n),
    words(64n, 96n, 2n ** 200n, 0n),
    words(64n, 64n, 1n, 5n),
    words(0n, 0n, 0n, 0n),
    words(1n, 33n, 0n, 0n),
  ];
  return [
    ...batches.map((data) => ({ topics: [TRANSFER_BATCH, ...parties], data })),
    { topics: [TRANSFER_BATCH, ...parties.slice(1)], data: good },
    { topics: [TRANSFER_BATCH], data: concat([...parties, good]) },
    { topics: [TRANSFER_SINGLE, ...parties], data: word(1) },
    { topics: [TRANSFER_SINGLE, ...parties], data: words(1n, 2n, 3n) },
    { topics: [TRANSFER_SINGLE, ...parties], data: "0x" },
    { topics: [TRANSFER_SINGLE, ...parties.slice(1)], data: words(1n, 2n) },
    { topics: [TRANSFER_SINGLE], data: concat([...parties, words(1n, 2n)]) },
  ];
}

function malformedHybrids(from: Address, to: Address): Shape[] {
  const amount = eventTopic("ERC20Transfer(address,address,uint256)");
  const piece = eventTopic("ERC721Transfer(address,address,uint256)");
  const parties = [addressWord(from), addressWord(to)];
  return [
    { topics: [amount, ...parties], data: "0x" },
    { topics: [amount], data: concat([...parties, word(1)]) },
    { topics: [piece, ...parties], data: word(1) },
    { topics: [piece, ...parties, word(1)], data: word(1) },
  ];
}

/** Every malformed kind, some of them beside well formed transfers of the same contract. */
export const malformed: Scenario = async (scene) => {
  const [from, to, other] = scene.accounts as [Address, Address, Address];
  const contracts = ["puppet1", "puppet2", "puppet3", "puppet4"].map(scene.contract) as Address[];
  const [fungible, multi, hybrid, balanceless] = contracts as [Address, Address, Address, Address];
  const balance = { signature: "balanceOf(address)", mode: "answer", prefix: word(41) } as const;
  scene.send({ from, to: fungible, data: teach(balance) });
  scene.send({
    from,
    to: multi,
    data: teach({ ...balance, signature: "balanceOf(address,uint256)" }),
  });
  scene.send({ from, to: hybrid, data: teach(balance) });
  scene.send({
    from,
    to: balanceless,
    data: teach({
      signature: "name()",
      mode: "answer",
      prefix: stringAnswer(Buffer.from("Balanceless")),
    }),
  });
  await scene.mine();
  const shapes: [Address, Shape[]][] = [
    [fungible, malformedTransfers(to, other)],
    [multi, malformedBatches(to, other)],
    [hybrid, malformedHybrids(to, other)],
  ];
  for (const [contract, logs] of shapes) {
    for (const { topics, data } of logs)
      scene.send({ from, to: contract, data: emitLog(topics, data) });
  }
  // A well formed transfer of a contract without balances.
  const minted = [TRANSFER, addressWord(zeroAddress), addressWord(to)];
  scene.send({ from, to: balanceless, data: emitLog(minted, word(3)) });
  await scene.mine();
};
