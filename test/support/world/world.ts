import type { Address, Hex } from "viem";
import { concat } from "viem";
import { CREATE2_DEPLOYER, plannedDeployments } from "./contracts.ts";
import type { Random } from "./random.ts";
import { sendRandomActivity } from "./random-activity.ts";
import { blocks } from "./scenarios/blocks.ts";
import { innerReverts, nestedCalls, shapes } from "./scenarios/calls.ts";
import { creations, destructions, factories } from "./scenarios/creations.ts";
import { failedCalls, failedCreations } from "./scenarios/failures.ts";
import { logs } from "./scenarios/logs.ts";
import { malformed } from "./scenarios/malformed.ts";
import { hostileMetadata } from "./scenarios/metadata.ts";
import { rolledBack } from "./scenarios/rolled-back.ts";
import { collectibles, fungibles, hybrids, irregulars, multiTokens } from "./scenarios/tokens.ts";
import { blobs, delegations, envelopes } from "./scenarios/transaction-types.ts";
import type { Scenario, Scene } from "./scene.ts";
import { createStage, type Stage } from "./stage.ts";

/** Every scenario, in the order in which `everything` plays them. */
const SCENARIOS = {
  envelopes,
  delegations,
  blobs,
  failedCalls,
  failedCreations,
  nestedCalls,
  innerReverts,
  rolledBack,
  shapes,
  creations,
  destructions,
  factories,
  logs,
  fungibles,
  collectibles,
  multiTokens,
  hybrids,
  irregulars,
  malformed,
  hostileMetadata,
  blocks,
} as const satisfies Record<string, Scenario>;

export const SCENARIO_NAMES = Object.keys(SCENARIOS) as (keyof typeof SCENARIOS)[];

const SILENT = ["tide", "hush", "whisper", "wrapped", "puppet1", "puppet2", "puppet3", "puppet4"];

/** A chain with the contracts of `contracts/` on it, and hands that make things happen there. */
export interface World {
  readonly url: string;
  readonly accounts: readonly Address[];
  /** Address of each contract by its name (`fungible`, `machine1`), the same on every chain. */
  readonly contracts: Readonly<Record<string, Address>>;
  /** Tokens whose balances or supply may change without any transfer of theirs. */
  readonly silentTokens: readonly Address[];
  /** Plays one scenario. May be repeated, also after a reorg or reset. */
  play(name: keyof typeof SCENARIOS): Promise<void>;
  /** Plays every scenario once: some sixty blocks. Without blobs anvil takes 4 s less, which checking the first one costs it. */
  everything(options?: { blobs?: boolean }): Promise<void>;
  /** Mines one block of random activity, and what is missing of the contracts (after a reset) before. */
  step(random: Random): Promise<void>;
}

/** Deploys CREATE2_DEPLOYER; the signature was made up, so its key is unknown and every chain has the same address. */
const PRESIGNED: Hex =
  "0xf8a58085174876e800830186a08080b853604580600e600039806000f350fe7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe03601600081602082378035828234f58015156039578182fd5b8082525050506014600cf31ba02222222222222222222222222222222222222222222222222222222222222222a02222222222222222222222222222222222222222222222222222222222222222";
const PRESIGNED_SENDER: Address = "0x3fab184622dc19b6109349b94811493bf2a45362";

async function lacksCode(stage: Stage, addresses: readonly Address[]): Promise<boolean[]> {
  const codes = await stage.rpc.requestAll<Hex>(
    addresses.map((address) => ({ method: "eth_getCode", params: [address, "latest"] })),
  );
  return codes.map((code) => code === "0x");
}

async function deployDeployer(stage: Stage): Promise<void> {
  const from = stage.accounts[0] as Address;
  stage.send({ from, to: PRESIGNED_SENDER, value: 10n ** 16n, gas: 21_000n });
  await stage.mine();
  stage.sendRaw(PRESIGNED);
  await stage.mine();
}

/** Deploys what is missing of the plan, several contracts a block. */
async function deployMissing(stage: Stage): Promise<void> {
  const plan = plannedDeployments();
  const [bare, ...missing] = await lacksCode(stage, [
    CREATE2_DEPLOYER,
    ...plan.map(({ address }) => address),
  ]);
  if (bare) await deployDeployer(stage);
  const from = stage.accounts[0] as Address;
  const lacking = plan.filter((_, index) => missing[index]);
  for (const { salt, initCode } of lacking) {
    stage.send({ from, to: CREATE2_DEPLOYER, data: concat([salt, initCode]), gas: 1_500_000n });
  }
  if (lacking.length > 0) await stage.mine();
}

/**
 * Puts the world on the node at `url` (anvil, or Hardhat's), which must not mine by itself afterwards. Idempotent: on a
 * chain that has it already, nothing is sent.
 */
export async function deployWorld(url: string): Promise<World> {
  const stage = await createStage(url);
  const version = await stage.rpc.request<string>("web3_clientVersion");
  const contracts = Object.fromEntries(
    plannedDeployments().map(({ name, address }) => [name, address]),
  );
  const scene: Scene = {
    ...stage,
    anvil: version.startsWith("anvil"),
    contract: (name) => {
      const address = contracts[name];
      if (!address) throw new Error(`the world has no contract ${name}`);
      return address;
    },
  };
  await deployMissing(stage);

  async function play(name: keyof typeof SCENARIOS): Promise<void> {
    await deployMissing(stage);
    await SCENARIOS[name](scene);
  }

  return {
    url,
    accounts: stage.accounts,
    contracts,
    silentTokens: SILENT.map(scene.contract),
    play,
    async everything({ blobs: withBlobs = true } = {}) {
      await deployMissing(stage);
      for (const scenario of Object.values(SCENARIOS)) {
        if (withBlobs || scenario !== blobs) await scenario(scene);
      }
    },
    async step(random) {
      await deployMissing(stage);
      sendRandomActivity(scene, random);
      await stage.mine(random.pick([scene.anvil ? 0 : 1, 1, 2, 12, 12, 600]));
    },
  };
}
