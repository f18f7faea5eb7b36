import { type Address, concat, type Hex } from "viem";
import { word } from "../contracts.ts";
import { addressWord, eventTopic, USER_OPERATION } from "../events.ts";
import { type Operation, run } from "../operations.ts";
import type { Scenario, Scene } from "../scene.ts";

const NOTED = eventTopic("Noted(uint256,uint256,uint256)");

/** Topics for logs: few enough that filters by two of them together find something. */
export const LOG_TOPICS: readonly Hex[] = [NOTED, word(1), word(2), word(0xfeedn << 200n)];

function payload(length: number): Hex {
  return `0x${"a5".repeat(length)}`;
}

/** Logs of 0 to 4 topics, with and without a signature, empty and long; more in one transaction than a page shows. */
export const logs: Scenario = async (scene) => {
  const from = scene.accounts[4] as Address;
  const to = scene.contract("machine3");
  const shapes: Operation[] = [0, 1, 2, 3, 4].flatMap((count) =>
    [0, 1, 31, 32, 33, 300].map(
      (length): Operation => ({
        kind: "log",
        topics: LOG_TOPICS.slice(0, count),
        data: payload(length),
      }),
    ),
  );
  scene.send({ from, to, data: run(shapes) });
  const anonymous = LOG_TOPICS.map(
    (_, start): Operation => ({
      kind: "log",
      topics: [...LOG_TOPICS.slice(start), ...LOG_TOPICS.slice(0, start)],
      data: payload(start),
    }),
  );
  scene.send({ from, to, data: run(anonymous) });
  const many = Array.from(
    { length: 120 },
    (_, index): Operation => ({
      kind: "log",
      topics: [LOG_TOPICS[index % 4] as Hex, word(index)],
      data: word(index),
    }),
  );
  scene.send({ from, to, data: run(many), gas: 2_000_000n });
  scene.send({ from, to, data: run([{ kind: "log", topics: [], data: payload(20_000) }]) });
  await scene.mine();
  await userOperations(scene);
};

/** Ends of user operations (ERC-4337), with a paymaster and without, and events that only begin as one. */
async function userOperations(scene: Scene): Promise<void> {
  const [sender, other, paymaster] = scene.accounts.slice(5, 8).map(addressWord) as [Hex, Hex, Hex];
  const end = (hash: number, topics: Hex[], success: number, words = 4): Operation => ({
    kind: "log",
    topics: [USER_OPERATION, word(0xb0b00 + hash), ...topics],
    data: concat([word(7n << 64n), word(success), word(10n ** 15n), word(90_000)].slice(0, words)),
  });
  const bundle = [end(1, [sender, paymaster], 1), end(2, [other, word(0)], 0)];
  const from = scene.accounts[8] as Address;
  scene.send({ from, to: scene.contract("machine3"), data: run(bundle) });
  const odd = [
    end(4, [sender], 1),
    end(5, [sender, paymaster], 1, 3),
    end(1, [sender, word(0)], 1),
  ];
  scene.send({
    from,
    to: scene.contract("machine2"),
    data: run([end(3, [other, paymaster], 1), ...odd]),
  });
  await scene.mine();
  scene.send({
    from: scene.accounts[6] as Address,
    to: scene.contract("machine2"),
    data: run(bundle),
  });
  await scene.mine();
}
