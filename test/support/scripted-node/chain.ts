import type { Hex } from "../../../src/core/evm/hex.ts";
import { quantityToNumber } from "../../../src/core/evm/quantity.ts";
import { buildBlock, type ScriptedBlock } from "./block.ts";
import { sealed } from "./provable.ts";
import type { BlockSpecification } from "./specification.ts";

export interface ScriptedChainOptions {
  /** Default 31337, a development chain. */
  chainId?: number;
  genesis?: BlockSpecification;
  /** Blocks have real hashes, roots and signatures; senders are then `signer`s. */
  provable?: boolean;
}

/**
 * A chain that grows, reorganises and restarts on command. Several nodes may serve the same one.
 * Blocks that were reorganised away stay known by their hash, as at real nodes.
 */
export class ScriptedChain {
  readonly chainId: number;
  readonly #provable: boolean;
  #blocks: (ScriptedBlock | undefined)[];
  readonly #byHash = new Map<Hex, ScriptedBlock>();
  readonly #listeners = new Set<(head: ScriptedBlock) => void>();
  #branches = 0;

  constructor(options: ScriptedChainOptions = {}) {
    this.chainId = options.chainId ?? 31337;
    this.#provable = options.provable ?? false;
    this.#blocks = [this.#build(options.genesis ?? {}, undefined)];
  }

  get head(): ScriptedBlock {
    return this.#blocks.at(-1) as ScriptedBlock;
  }

  /** Number of the newest block. */
  get height(): number {
    return this.#blocks.length - 1;
  }

  /** The block at that height of the present chain. */
  at(number: number): ScriptedBlock | undefined {
    return this.#blocks[number];
  }

  /** Also a block that was reorganised away; see `isCanonical`. */
  byHash(hash: string): ScriptedBlock | undefined {
    return this.#byHash.get(hash as Hex);
  }

  isCanonical({ block }: ScriptedBlock): boolean {
    return this.at(quantityToNumber(block.number))?.block.hash === block.hash;
  }

  /** Adds blocks and gives the new head. A number stands for so many empty ones. */
  mine(...specifications: (BlockSpecification | number)[]): ScriptedBlock {
    this.#append(specifications);
    return this.#announce();
  }

  /** Replaces the newest `depth` blocks in one step; without specifications by as many other, empty ones. */
  reorg(depth: number, ...specifications: (BlockSpecification | number)[]): ScriptedBlock {
    this.#cut(depth);
    this.#branches++;
    this.#append(specifications.length > 0 ? specifications : [depth]);
    return this.#announce();
  }

  /** Takes the newest `depth` blocks back and puts nothing in their place, as evm_revert does. */
  revert(depth: number): ScriptedBlock {
    this.#cut(depth);
    this.#branches++;
    return this.head;
  }

  /** Restarts with another genesis block, as a development chain does. */
  reset(genesis: BlockSpecification = {}): ScriptedBlock {
    this.#branches++;
    this.#byHash.clear();
    this.#blocks = [this.#build(genesis, undefined)];
    return this.head;
  }

  /** Another chain with the same history, to be continued in another way. */
  fork(): ScriptedChain {
    const fork = new ScriptedChain({ chainId: this.chainId, provable: this.#provable });
    fork.#blocks = [...this.#blocks];
    fork.#byHash.clear();
    for (const [hash, block] of this.#byHash) fork.#byHash.set(hash, block);
    fork.#branches = this.#branches + 1_000;
    return fork;
  }

  /** Calls `listener` with each new head, also after a reorg; gives the way to stop. */
  onHead(listener: (head: ScriptedBlock) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #cut(depth: number): void {
    if (depth > this.height) throw new RangeError(`no ${depth} blocks above genesis`);
    this.#blocks = this.#blocks.slice(0, this.#blocks.length - depth);
    while (!this.#blocks.at(-1)) this.#blocks.pop();
  }

  #append(specifications: readonly (BlockSpecification | number)[]): void {
    for (const specification of specifications) {
      const count = typeof specification === "number" ? specification : 1;
      for (let i = 0; i < count; i++) {
        const one = typeof specification === "number" ? {} : specification;
        const built = this.#build(one, this.head);
        this.#blocks.push(...new Array(one.leavesOut ?? 0).fill(undefined), built);
      }
    }
  }

  /** Blocks of another branch differ in their hash even when nothing else does. */
  #build(specification: BlockSpecification, parent: ScriptedBlock | undefined): ScriptedBlock {
    const salt =
      specification.salt ?? (this.#branches > 0 ? `branch ${this.#branches}` : undefined);
    const salted = salt === undefined ? specification : { ...specification, salt };
    const plain = buildBlock(salted, parent, this.chainId);
    const built = this.#provable ? sealed(plain) : plain;
    this.#byHash.set(built.block.hash, built);
    return built;
  }

  #announce(): ScriptedBlock {
    for (const listener of this.#listeners) listener(this.head);
    return this.head;
  }
}
