import type { Address } from "../../core/evm/address.ts";

/** The operator's name for an address. Source: docs/operations/labels.md. */
export interface Label {
  address: Address;
  /** Undefined: for every chain. */
  chainid?: number | undefined;
  name: string;
  tags: string[];
  url: string;
  note: string;
}

/** The labels of one chain. */
export type Labels = ReturnType<typeof labelsOfChain>;

/** Number of first letters that a search compares, as in `listContractsByName`. */
const LETTERS = 64;

/** Returns the labels of a chain from those of all chains. A label of the chain alone replaces a general one. */
export function labelsOfChain(
  { labels, changedAt }: { labels: ReadonlyMap<string, Label>; changedAt: number },
  chainId: number,
) {
  const find = (address: Address) =>
    labels.get(labelKey(address, chainId)) ?? labels.get(labelKey(address));
  return {
    find,
    /** Returns the addresses with a name, or a word of a name, that begins with a text; whole names first. */
    search(text: string): Address[] {
      const sought = text.slice(0, LETTERS).toLowerCase();
      const hits = [...labels.values()].flatMap((label) => {
        const name = label.name.toLowerCase();
        const isHit = hasWord(name, sought) && find(label.address) === label;
        // Names that begin with the text stand before the others.
        const place = `${name.startsWith(sought) ? 0 : 1}${name}${label.address}`;
        return isHit ? [{ place, address: label.address }] : [];
      });
      return hits.toSorted((a, b) => (a.place < b.place ? -1 : 1)).map(({ address }) => address);
    },
    /** Time of the file's last change, in Unix seconds. */
    changedAt,
  };
}

/** Returns the key of a label: its chain, if it has one, and its address. */
export function labelKey(address: Address, chainid?: number): string {
  return `${chainid ?? ""}:${address}`;
}

/** Returns whether a name or one of its words begins with a text. */
function hasWord(name: string, sought: string): boolean {
  for (let at = name.indexOf(sought); at >= 0; at = name.indexOf(sought, at + 1)) {
    if (at === 0 || !/[\p{L}\p{N}]/u.test(name.charAt(at - 1))) return true;
  }
  return false;
}
