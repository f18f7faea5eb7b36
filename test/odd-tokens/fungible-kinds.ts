import type { Address } from "viem";
import type { Call } from "./chain.ts";
import type { Draws, Kind } from "./kind.ts";

/** Deploys ERC-20 tokens, and what looks like some. */
export async function fungibleKinds({
  chain,
  router,
  who,
  amount,
  few,
  coin,
}: Draws): Promise<Kind[]> {
  const { random, holders } = chain;
  const [first = router] = holders;
  const sender = () => random.pick([...holders]);

  /** A kind that mints and transfers besides what it is odd by. */
  async function plain(
    contract: string,
    args: readonly unknown[],
    oddities: Record<string, (call: (name: string, ...args: unknown[]) => Call) => Call>,
    options: Partial<Kind> = {},
  ): Promise<Kind> {
    const address = await chain.deploy(contract, ...args);
    const call = (name: string, ...given: unknown[]) =>
      chain.call(contract, address, name, ...given);
    for (const [index, holder] of holders.slice(0, 4).entries()) {
      chain.enqueue(call("mint", holder, 10n ** 6n * BigInt(index + 1)));
    }
    const acts = Object.entries(oddities).map(([name, draw]) => [name, () => draw(call)] as const);
    return {
      name: contract,
      address,
      acts: {
        mint: () => call("mint", who(), amount()),
        transfer: () => ({ ...call("transfer", who(), amount()), from: sender() }),
        ...Object.fromEntries(acts),
      },
      ...options,
    };
  }

  const pool = await chain.deploy("Pool");
  const quiet = await plain("Quiet", [], {
    give: (call) => call("give", who(), amount()),
    take: (call) => call("take", who(), amount()),
    swap: (call) => call("swap", who(), who()),
    reassign: (call) => call("reassign", few(), few()),
    wipe: (call) => call("wipe", few(), random.integer(2)),
    giveMany: (call) => call("giveMany", [...holders, router], amount()),
    phantom: (call) => call("phantom", who(), who(), amount()),
    rename: (call) => call("rename", `Quiet ${random.integer(9)}`),
  });
  for (const holder of holders) chain.enqueue(chain.call("Quiet", quiet.address, "enlist", holder));
  const wrapped = await chain.deploy("Wrapped");
  const wrap = (name: string, ...args: unknown[]) => chain.call("Wrapped", wrapped, name, ...args);
  const [, second = first, third = first, fourth = first] = holders;
  // The second is a holder before any Transfer says that there is a token.
  chain.enqueue({ ...wrap("deposit", second), value: 1000n, from: second });
  await chain.mine();
  chain.enqueue({ ...wrap("deposit", third), value: 500n, from: third });
  chain.enqueue({ ...wrap("transfer", fourth, 200n), from: third });
  const mirror = await chain.deploy("Mirror");
  for (const holder of holders)
    chain.enqueue(chain.call("Mirror", mirror, "announce", first, holder));
  const spam = await chain.deploy("Spam");
  chain.enqueue(chain.call("Spam", spam, "airdrop", holders));
  const escrow = await chain.deploy("Escrow");
  const strangers = () => Array.from({ length: 30 }, () => random.bytes(20));

  return [
    quiet,
    await plain("Issuer", [second], {
      issue: (call) => call("issue", amount()),
      redeem: (call) => call("redeem", amount()),
      destroy: (call) => call("destroyBlackFunds", who()),
    }),
    await plain("Shares", [], {
      report: (call) => call("report", random.integer(100_000), coin()),
      slash: (call) => call("slash", few()),
    }),
    await plain(
      "Indexed",
      [pool],
      { accrue: () => chain.call("Pool", pool, "accrue", few()) },
      { isHidden: true },
    ),
    await plain(
      "Stream",
      [],
      { flow: (call) => call("flow", who(), who(), random.integer(100)) },
      { isHidden: true },
    ),
    await plain(
      "Lapse",
      [],
      {
        grant: (call) => call("grant", who(), amount(), 1 + random.integer(30)),
        prolong: (call) => call("prolong", who(), random.integer(30)),
      },
      { isHidden: true },
    ),
    await plain("Melting", [], {}, { isHidden: true }),
    await plain("Fee", [holders[4]], {}),
    await plain("Reflection", [], {}),
    await plain("Security", [], {
      force: (call) => call("controllerTransfer", who(), who(), amount()),
      redeem: (call) => call("redeemFrom", who(), amount()),
      block: (call) => call("block_", who(), coin()),
    }),
    await plain("Flaky", [], {
      set: (call) => call("set", random.pick([0, 0, 0, 0, 1, 2, 3, 4, 5, 6])),
      poison: (call) => call("poison", who(), coin()),
      give: (call) => call("give", who(), amount()),
    }),
    await plain("Hooked", [router], {
      hook: () =>
        chain.call("Router", router, "onHook", ...Object.values(hookCall(quiet, who, amount))),
    }),
    await plain("Hybrid", [], {}, { unjudged: ["type", "lists"] }),
    {
      name: "Wrapped",
      address: wrapped,
      acts: {
        deposit: () => ({
          ...wrap("deposit", who()),
          value: amount() % 10n ** 12n,
          from: sender(),
        }),
        receive: () => ({ to: wrapped, data: "0x", value: 5n, from: sender() }),
        withdraw: () => ({ ...wrap("withdraw", amount()), from: sender() }),
        transfer: () => ({ ...wrap("transfer", who(), amount()), from: sender() }),
      },
    },
    {
      name: "Mirror",
      address: mirror,
      acts: {
        pay: () => ({ to: who(), data: "0x", value: amount() % 10n ** 15n, from: sender() }),
        announce: () => chain.call("Mirror", mirror, "announce", who(), who()),
      },
      isHidden: true,
    },
    {
      name: "Spam",
      address: spam,
      acts: {
        airdrop: () => chain.call("Spam", spam, "airdrop", strangers()),
        odd: () => chain.call("Spam", spam, "odd", who(), random.integer(1_000_000)),
      },
      isOpen: true,
    },
    {
      name: "Escrow",
      address: escrow,
      acts: {
        lock: () => chain.call("Escrow", escrow, "lock", who(), amount(), random.integer(900)),
      },
      isHidden: true,
      // Nothing says that it is a token.
      unjudged: ["type", "facts", "lists"],
    },
  ];

  function hookCall(
    token: Kind,
    to: () => Address,
    n: () => bigint,
  ): { to: Address; data: unknown } {
    const { data } = chain.call("Quiet", token.address, "give", to(), n());
    return { to: token.address, data };
  }
}
