import { defineGasPrice } from "./gas-price.ts";

export const ethGasPrice = defineGasPrice(
  "eth_gasPrice",
  "Gas price in wei that the node estimates",
);
