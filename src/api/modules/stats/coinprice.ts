import { defineCoinPrice } from "./prices.ts";

export const coinprice = defineCoinPrice(
  "coinprice",
  "Price of the coin, in Blockscout's field names",
  "coin_",
);
