//! Steps whose results are printed one a line, so that those of two servers can be compared. Arguments: PRODUCT PORT.
use std::fmt::Debug;
use std::future::Future;

pub fn product() -> String {
    std::env::args().nth(1).unwrap_or_default()
}

pub fn port() -> u16 {
    std::env::args().nth(2).and_then(|text| text.parse().ok()).unwrap_or(0)
}

/// Runs and prints one step; `code` says what is comparable of an error.
pub async fn step<T: Debug, E>(name: &str, code: fn(&E) -> String, run: impl Future<Output = Result<T, E>>) {
    match run.await {
        Ok(value) => println!("{name}\t{}", format!("{value:?}").replace('\n', " ")),
        Err(error) => println!("{name}\terror {}", code(&error)),
    }
}
