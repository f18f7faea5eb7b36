/** Price of a token in US dollars as Etherscan words an unknown one. */
export const UNKNOWN_PRICE = "0.000000000000000000";
