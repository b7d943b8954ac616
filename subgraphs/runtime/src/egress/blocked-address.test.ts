import { blockedAddress } from "./blocked-address.js";

const strict = { allowLoopback: false, allowPrivateCidrs: [] };

test.each([
  ["0.0.0.0", "an unspecified address"],
  ["0.1.2.3", "an unspecified address"],
  ["127.0.0.1", "a loopback address"],
  ["127.255.255.254", "a loopback address"],
  ["10.0.0.1", "a private address"],
  ["172.16.0.1", "a private address"],
  ["172.31.255.255", "a private address"],
  ["192.168.1.1", "a private address"],
  ["169.254.169.254", "a link-local address"],
  ["100.64.0.1", "a carrier-grade NAT address"],
  ["100.100.100.200", "a carrier-grade NAT address"],
  ["192.0.0.192", "a reserved address"],
  ["192.0.2.1", "a reserved address"],
  ["198.18.0.1", "a reserved address"],
  ["198.51.100.1", "a reserved address"],
  ["203.0.113.1", "a reserved address"],
  ["224.0.0.1", "a multicast address"],
  ["240.0.0.1", "a reserved address"],
  ["255.255.255.255", "a broadcast address"],
  ["168.63.129.16", "a reserved address"],
  ["::", "an unspecified address"],
  ["::1", "a loopback address"],
  ["0:0:0:0:0:0:0:1", "a loopback address"],
  ["::ffff:127.0.0.1", "a loopback address"],
  ["::ffff:7f00:1", "a loopback address"],
  ["::ffff:10.0.0.1", "a private address"],
  ["::ffff:a9fe:a9fe", "a link-local address"],
  ["::127.0.0.1", "a reserved address"],
  ["::8.8.8.8", "a reserved address"],
  ["::808:808", "a reserved address"],
  ["::7f00:1", "a reserved address"],
  ["::ffff:0:127.0.0.1", "a reserved address"],
  ["64:ff9b::127.0.0.1", "a reserved address"],
  ["64:ff9b::8.8.8.8", "a reserved address"],
  ["64:ff9b:1::1", "a reserved address"],
  ["2002:7f00:1::", "a reserved address"],
  ["2001:0:4136:e378:8000:63bf:3fff:fdd2", "a reserved address"],
  ["2001:db8::1", "a reserved address"],
  ["3fff::1", "a reserved address"],
  ["5f00::1", "a reserved address"],
  ["100::1", "a reserved address"],
  ["fc00::1", "a private address"],
  ["fd00:ec2::254", "a private address"],
  ["fe80::1", "a link-local address"],
  ["febf::1", "a link-local address"],
  ["fec0::1", "a reserved address"],
  ["ff02::1", "a multicast address"],
  ["4000::1", "a reserved address"],
  ["fe80::1%eth0", "not an IP address"],
  ["::1%lo", "not an IP address"],
  ["example.com", "not an IP address"],
  ["0x7f.1", "not an IP address"],
  ["010.8.8.8", "not an IP address"],
  ["8.8.8", "not an IP address"],
  ["134744072", "not an IP address"],
  ["::0x8.8.8.8", "not an IP address"],
  ["", "not an IP address"],
])("%s is %s", (ip, reason) => {
  expect(blockedAddress(ip, strict)).toBe(reason);
});

test.each([
  "8.8.8.8",
  "1.1.1.1",
  "172.15.255.255",
  "172.32.0.1",
  "100.63.255.255",
  "2606:4700:4700::1111",
  "2a00:1450::1",
])("%s is public", (ip) => {
  expect(blockedAddress(ip, strict)).toBeUndefined();
});

test("loopback opens loopback only", () => {
  const policy = { allowLoopback: true, allowPrivateCidrs: [] };
  const open = ["127.0.0.1", "127.9.9.9", "::1", "::ffff:127.0.0.1"];
  for (const ip of open) expect(blockedAddress(ip, policy)).toBeUndefined();
  const blockedAddresses = [
    "0.0.0.0",
    "::",
    "10.0.0.1",
    "169.254.169.254",
    "::7f00:1",
    "::127.0.0.1",
    "64:ff9b::7f00:1",
  ];
  for (const ip of blockedAddresses) expect(blockedAddress(ip, policy)).toBeDefined();
});

test("an opened network is open, its neighbours are not", () => {
  const policy = { allowLoopback: false, allowPrivateCidrs: ["10.1.0.0/16", "fd12::/32"] };
  for (const ip of ["10.1.2.3", "::ffff:10.1.2.3", "fd12:0:1::1"]) expect(blockedAddress(ip, policy)).toBeUndefined();
  for (const ip of ["10.2.0.1", "fd13::1", "127.0.0.1", "::10.1.2.3"]) expect(blockedAddress(ip, policy)).toBeDefined();
});
