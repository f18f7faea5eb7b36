import type { Address } from "viem";
import type { Stage } from "./stage.ts";

/** A stage with the contracts of the world on it. */
export interface Scene extends Stage {
  /** Address of a contract by its name in the world. Throws when there is none. */
  contract(name: string): Address;
  /** Whether the node is anvil: accepts blobs, blocks of the same second, and another fee recipient. */
  readonly anvil: boolean;
}

/** One part of the world's history: sends transactions and mines them. Needs no other scenario before it. */
export type Scenario = (scene: Scene) => Promise<void>;
