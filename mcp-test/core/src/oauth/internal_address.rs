//! Addresses to which nobody outside may have this machine send requests.

use std::net::IpAddr;

/// Whether an address is one of a machine, of a private network, or reserved.
pub(super) fn is_internal(address: IpAddr) -> bool {
    match address.to_canonical() {
        IpAddr::V4(address) => {
            let [first, second, ..] = address.octets();
            address.is_private()
                || address.is_loopback()
                || address.is_link_local()
                || address.is_broadcast()
                || address.is_documentation()
                || address.is_multicast()
                // This network, and addresses that carriers share (RFC 6598).
                || first == 0
                || (first == 100 && second & 0xc0 == 64)
        }
        IpAddr::V6(address) => {
            address.is_loopback()
                || address.is_unspecified()
                || address.is_multicast()
                || address.is_unique_local()
                || address.is_unicast_link_local()
        }
    }
}
