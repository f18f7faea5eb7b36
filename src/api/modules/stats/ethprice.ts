import { defineCoinPrice } from "./prices.ts";

export const ethprice = defineCoinPrice(
  "ethprice",
  "Price of the coin in bitcoin and US dollars, from aggregators on chain",
  "eth",
);
