/** Etherscan's text for an unknown price of a token in US dollars. */
export const UNKNOWN_PRICE = "0.000000000000000000";
