/** A public key in PEM, P-256. No one has its private key. */
export const samplePublicKey = `-----BEGIN PUBLIC KEY-----
MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEWjpoDcQ6R50gzfMk6FgdIQ19byzSQAkkcxh2jcfPCZpl47s0NVlphxZo0n3A+7rntOmAnBSQ1tUezdjNONW3Og==
-----END PUBLIC KEY-----
`;
