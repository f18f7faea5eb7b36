// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

/// Not verified at first: the examples of the API's document verify it.
contract Buoy {
    uint256 public lights = 2;
}
