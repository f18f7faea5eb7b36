import type { Address } from "../../../src/core/evm/address.ts";
import type { Hex } from "../../../src/core/evm/hex.ts";
import type { DeploymentProof } from "../../../src/store/contracts/verified/deployment-proofs.ts";
import type { VerifiedSource } from "../../../src/verification/engine/verified-source.ts";
import type { VerificationRequest } from "../../../src/verification/request.ts";

/** Source, settings and the intended contract, for an explorer. */
export interface Program {
  /** Release of the compiler; default 0.8.28. */
  compiler?: string;
  language?: "Solidity" | "Yul";
  sources: Record<string, string>;
  settings?: Record<string, unknown>;
  /** `path:Name`. */
  contract: string;
}

/** The compiler's output for a program. */
export interface Compiled {
  /** Hex digits, placeholders of libraries among them. */
  creation: string;
  runtime: string;
  metadata: string;
  /** By AST id. */
  immutables: Record<string, { start: number; length: number }[]>;
}

/** A contract that stands on chain, and how it came there. */
export interface Standing {
  address: Address;
  /** Undefined: made by nothing that is known, as the contracts of a genesis block are. */
  transaction?: Hex;
  /** The account that ran CREATE, and its input, when it was not a transaction. */
  factory?: { creator: Address; creationCode: Hex };
}

/** Beside what compiles: other ways to send the same, and arguments. */
export interface Sent {
  /** Hex digits. */
  arguments?: string;
  request?: (address: Address) => VerificationRequest;
  /** The node has no older state than the head's. */
  onHeadState?: boolean;
}

export interface AttackWorld {
  compile(program: Program): Promise<Compiled>;
  /** Sends init code from an account. */
  deploy(initCode: Hex, valueWei?: bigint): Promise<Standing>;
  /** Deploys code as it is, by an init code that only copies. */
  put(runtimeCode: Hex): Promise<Standing>;
  /** Deploys by a contract that runs CREATE; its calldata is the init code. */
  deployByFactory(initCode: Hex): Promise<Standing>;
  /** Calls a contract that creates one by this init code, and returns its address. */
  deployBy(creator: Address, data: Hex, initCode: Hex): Promise<Standing>;
  /** Deploys by a contract that runs CREATE2, to an address that fits. */
  deployByCreate2(initCode: Hex, fits?: (address: Address) => boolean): Promise<Standing>;
  /** Puts code at an address of its own without any transaction. */
  predeploy(runtimeCode: Hex): Promise<Standing>;
  runtimeCode(standing: Standing): Promise<Hex>;
  /** What init code returns with so much gas. */
  run(initCode: Hex, gas: bigint): Promise<Hex>;
  verify(program: Program, standing: Standing, sent?: Sent): Promise<Verdict>;
}

/** `none`: refused. */
export type Level = "none" | "partial" | "full";

export interface Verdict {
  level: Level;
  /** Why it was refused; empty otherwise. */
  reason: string;
  source?: VerifiedSource;
  proof?: DeploymentProof;
}

/** A way to have something verified that is not on chain, and the same without malice. */
export interface Attack {
  title: string;
  attack(world: AttackWorld): Promise<Verdict>;
  /** The highest level that the attack may reach; refused by default. */
  atMost?: Level;
  /** Words of the refusal, where there is more than one reason to refuse. */
  reason?: RegExp;
  honest(world: AttackWorld): Promise<Verdict>;
  /** The level of the honest twin: full by default. */
  reaches?: Level;
  /** Further conditions. */
  check?(attacked: Verdict, honest: Verdict): void;
}
