-- Contracts that no indexed creation tells of, in the order in which the index saw them first. Built while the chain is
-- served, as if it replaced another one.
SELECT replace_index('addresses_with_code', 'addresses_with_code', 'addresses', '(first_block, address) WHERE has_code');
