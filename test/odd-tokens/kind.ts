import type { Address } from "viem";
import type { Call, OddChain } from "./chain.ts";

/** An odd token, and what may happen to it. */
export interface Kind {
  name: string;
  address: Address;
  /** Each draws a call. */
  acts: Record<string, () => Call>;
  /** Nothing on the chain names it when it changes. */
  isHidden?: boolean;
  /** Any account has some of it. */
  isOpen?: boolean;
  /** No standard decides this of it. */
  unjudged?: readonly ("type" | "facts" | "lists")[];
}

/** Sources of the kinds' random acts. */
export interface Draws {
  chain: OddChain;
  router: Address;
  who(): Address;
  amount(): bigint;
  few(): number;
  coin(): boolean;
}
