//! Verifies a contract by foundry-block-explorers, and reads with its types.
//!
//! Arguments: the API's address, that of the contract, and a file with the parameters of the verification; prints JSON.

use std::{env, error::Error, fs, time::Duration};

use alloy_primitives::Address;
use foundry_block_explorers::{
    Client,
    account::{InternalTxQueryOption, TokenQueryOption},
    verify::VerifyContract,
};
use serde_json::{Value, json};
use tokio::time::sleep;

const PENDING: &str = "Pending in queue";

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let [api, address, file] = env::args().skip(1).collect::<Vec<_>>().try_into().map_err(|_| "three arguments")?;
    let address: Address = address.parse()?;
    let client = Client::builder().with_api_url(api.as_str())?.with_url(api.as_str())?.no_proxy().build()?;

    let unverified = client.contract_source_code(address).await.unwrap_err().to_string();
    let status = verify(&client, address, &fs::read_to_string(file)?).await?;

    let sources = client.contract_source_code(address).await?;
    let source = &sources.items[0];
    let mut files: Vec<_> = source.sources().into_keys().collect();
    files.sort();
    let abi = client.contract_abi(address).await?;
    let creation = client.contract_creation_data(address).await?;
    let hash = format!("{:?}", creation.transaction_hash);
    client.check_transaction_receipt_status(&hash).await?;
    client.check_contract_execution_status(&hash).await?;
    let creator = creation.contract_creator;
    let transactions = client.get_transactions(&creator, None).await?;
    let first = transactions.last().ok_or("no transactions")?;
    let block = client.get_block_by_timestamp(first.time_stamp.parse()?, "before").await?;
    let balances = client.get_ether_balance_multi(&[creator, address], None).await?;
    let internal = client.get_internal_transactions(InternalTxQueryOption::ByAddress(address), None).await;
    let transfers = client.get_erc20_token_transfer_events(TokenQueryOption::ByAddress(creator), None).await;
    let gas = client.gas_oracle().await?;

    let printed = json!({
        "unverified": unverified,
        "status": status,
        "name": source.contract_name,
        "compiler": source.compiler_version()?.to_string(),
        "files": files,
        "arguments": source.constructor_arguments.to_string(),
        "functions": abi.functions().map(|function| function.name.clone()).collect::<Vec<_>>(),
        "created": first.contract_address == Some(address),
        "block": block.block_number.as_number().map(|number| number.to::<u64>()),
        "balance": client.get_ether_balance_single(&address, None).await?.balance,
        "balances": balances.len(),
        "internal": internal.map_or_else(|error| error.to_string(), |list| list.len().to_string()),
        "transfers": transfers.map_or_else(|error| error.to_string(), |list| list.len().to_string()),
        "gas": gas.last_block,
    });
    println!("{printed}");
    Ok(())
}

async fn verify(client: &Client, address: Address, parameters: &str) -> Result<String, Box<dyn Error>> {
    let parameters: Value = serde_json::from_str(parameters)?;
    let text = |name: &str| parameters[name].as_str().unwrap_or_default().to_string();
    let contract = VerifyContract::new(
        address,
        text("contractname"),
        text("source_code"),
        text("compilerversion"),
    );
    let guid = client.submit_contract_verification(&contract).await?.result;
    loop {
        sleep(Duration::from_millis(500)).await;
        // A job that waits is an error of its own.
        match client.check_contract_verification_status(&guid).await {
            Err(error) if error.to_string().contains(PENDING) => {}
            outcome => {
                let result = outcome?.result;
                if result != PENDING {
                    return Ok(result);
                }
            }
        }
    }
}
