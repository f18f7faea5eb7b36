import type { Draws, Kind } from "./kind.ts";

const IDS = 8;
const UNITS = 4;

/** Deploys tokens with ids. */
export async function collectibleKinds(draws: Draws): Promise<Kind[]> {
  const { chain, who, amount, few, coin } = draws;
  const { random, holders } = chain;
  const id = () => 1 + random.integer(IDS);
  const unit = () => 1 + random.integer(UNITS);
  const ids = Array.from({ length: IDS }, (_, index) => index + 1);
  const units = ids.slice(0, UNITS);

  async function start(contract: string, ...args: unknown[]) {
    const address = await chain.deploy(contract, ...args);
    const call = (name: string, ...given: unknown[]) =>
      chain.call(contract, address, name, ...given);
    return { name: contract, address, call };
  }

  const seizable = await start("Seizable");
  const kitties = await start("Kitties");
  for (const { call } of [seizable, kitties]) {
    for (const one of ids) chain.enqueue(call("put", one, holders[one % 4]));
    await chain.mine();
  }
  const names = await start("Names", false);
  const counted = await start("Names", true);
  for (const { call } of [names, counted]) {
    for (const one of ids) chain.enqueue(call("register", one, holders[one % 4], 20 + 10 * one));
    await chain.mine();
  }
  const ranges = await start("Ranges");
  chain.enqueue(ranges.call("mintRange", holders[0], 5), ranges.call("mintRange", holders[1], 3));
  chain.enqueue(ranges.call("put", 1, holders[2]), ranges.call("put", 7, holders[3]));
  const forced = await start("Forced", holders[0]);
  const vouchers = await start("Vouchers");
  for (const { call } of [forced, vouchers]) {
    for (const one of units) chain.enqueue(call("mint", holders[one % 4], one, 50 * one));
    chain.enqueue(call("mintTwo", holders[0], 1, 2, 9));
    await chain.mine();
  }
  const dual = await start("Dual");
  for (const one of units) chain.enqueue(dual.call("put", one, holders[one % 4]));
  await chain.mine();
  const someone = () => random.pick([...holders]);
  const nobody = "0x0000000000000000000000000000000000000000";

  const registry = ({ call }: typeof names) => ({
    register: () => call("register", id(), who(), 1 + random.integer(40)),
    renew: () => call("renew", id(), random.integer(40)),
  });
  return [
    {
      ...seizable,
      acts: {
        put: () => seizable.call("put", id(), who()),
        burn: () => seizable.call("put", id(), nobody),
        seize: () => seizable.call("seize", id(), who(), coin()),
        destroy: () => seizable.call("seize", id(), nobody, coin()),
        swap: () => seizable.call("swap", id(), id()),
      },
    },
    { ...kitties, acts: { put: () => kitties.call("put", id(), who()) } },
    { ...names, acts: registry(names), isHidden: true },
    { ...counted, name: "CountedNames", acts: registry(counted), isHidden: true },
    {
      ...ranges,
      acts: {
        mint: () => ranges.call("mintRange", who(), few()),
        put: () => ranges.call("put", id(), who()),
        drop: () => ranges.call("drop", id()),
      },
    },
    {
      ...forced,
      acts: {
        mint: () => forced.call("mint", who(), unit(), amount()),
        send: () => ({ ...forced.call("send", who(), unit(), amount()), from: someone() }),
        force: () => forced.call("force", who(), who(), unit(), amount(), coin()),
        make: () => forced.call("make", who(), unit(), amount()),
        burn: () => forced.call("burn", who(), unit()),
      },
    },
    {
      ...vouchers,
      acts: {
        mint: () => vouchers.call("mint", who(), unit(), amount()),
        mintTwo: () => vouchers.call("mintTwo", who(), unit(), unit(), amount()),
        send: () => ({ ...vouchers.call("send", who(), unit(), amount()), from: someone() }),
        rebase: () => vouchers.call("rebase", unit(), few(), coin()),
        lapse: () => vouchers.call("lapse", unit(), random.integer(20)),
      },
      isHidden: true,
    },
    { ...dual, acts: { put: () => dual.call("put", unit(), who()) } },
  ];
}
