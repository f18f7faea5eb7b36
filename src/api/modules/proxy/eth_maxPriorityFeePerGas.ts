import { defineGasPrice } from "./gas-price.ts";

export const ethMaxPriorityFeePerGas = defineGasPrice(
  "eth_maxPriorityFeePerGas",
  "Tip in wei that the node estimates",
);
