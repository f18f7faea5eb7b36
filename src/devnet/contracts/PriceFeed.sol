// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

/// A price that never changes, told as Chainlink's aggregators do.
contract PriceFeed {
    uint8 public immutable decimals;
    int256 private immutable price;
    uint256 private immutable updatedAt;

    constructor(uint8 decimals_, int256 price_) {
        decimals = decimals_;
        price = price_;
        updatedAt = block.timestamp;
    }

    function latestRoundData() external view returns (uint80, int256, uint256, uint256, uint80) {
        return (1, price, updatedAt, updatedAt, 1);
    }
}
