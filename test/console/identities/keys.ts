/** The public keys of an issuer that exists in no network: the example key of RFC 7517, appendix A.1. */
export const publicKeys = JSON.stringify({
  keys: [
    {
      ...{ kty: "EC", crv: "P-256", kid: "1", use: "sig" },
      x: "MKBCTNIcKUSDii11ySs3526iDZ8AiTo7Tu6KPAqv7D4",
      y: "4Etl6SRW2YiLUrN5vfvVHuhp7x8PxltmWWlbbM4IFyM",
    },
  ],
});
