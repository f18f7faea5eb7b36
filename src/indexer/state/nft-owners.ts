import { applyNftOwners, revertNftOwners } from "../../store/state/nft-owners.ts";
import type { StateFamily } from "./family.ts";

export const nftOwners: StateFamily = {
  name: "nft-owners",
  tables: ["nft_owners"],
  apply: applyNftOwners,
  revert: revertNftOwners,
};
