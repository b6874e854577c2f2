/** Chains of certificates, as an attacker makes them: which lead to a trusted one. */
import { expect, test } from "vitest";
import "reflect-metadata";
import {
  BasicConstraintsExtension,
  ExtendedKeyUsageExtension,
  type Extension,
  KeyUsageFlags,
  KeyUsagesExtension,
  type X509Certificate,
  X509CertificateGenerator,
} from "@peculiar/x509";
import { readCertificate } from "../../src/signatures/certificate.ts";
import { isFromTrusted } from "../../src/signatures/chain.ts";
import { algorithms, codeSigning, newKeys } from "./authority.ts";

const algorithm = algorithms["P-256"];
const hours = (number: number) => new Date(Date.now() + number * 3_600_000);
const read = ({ rawData }: X509Certificate) => readCertificate(new Uint8Array(rawData));

/** A name with its keys. */
const newParty = async (name: string) => ({ name: `CN=${name}`, keys: await newKeys() });
type Party = Awaited<ReturnType<typeof newParty>>;

const authorityOf = (length?: number): Extension[] => [
  new BasicConstraintsExtension(true, length, true),
  new KeyUsagesExtension(KeyUsageFlags.keyCertSign, true),
];

const certify = (issuer: Party, subject: Party, extensions = authorityOf(), end = hours(1)) =>
  X509CertificateGenerator.create({
    ...{ issuer: issuer.name, subject: subject.name, notBefore: hours(-2), notAfter: end },
    ...{ publicKey: subject.keys.publicKey, signingKey: issuer.keys.privateKey },
    ...{ signingAlgorithm: algorithm, extensions },
  }).then(read);

const [root, middle, lower, signer] = (await Promise.all(
  ["root", "middle", "lower", "signer"].map(newParty),
)) as [Party, Party, Party, Party];
const anchor = await certify(root, root);
const leaf = await certify(middle, signer, []);

const leads = (others: Awaited<typeof leaf>[], from = leaf, trusted = anchor) =>
  isFromTrusted(from, others, [trusted], Date.now());

test("a chain leads to the trusted certificate through one in between", async () => {
  expect(await leads([await certify(root, middle)])).toBe(true);
  expect(await leads([])).toBe(false);
});

test.for([
  ["is not that of an authority", [new KeyUsagesExtension(KeyUsageFlags.keyCertSign, true)], 1],
  [
    "may not sign certificates",
    [
      new BasicConstraintsExtension(true, undefined, true),
      new KeyUsagesExtension(KeyUsageFlags.digitalSignature, true),
    ],
    1,
  ],
  ["is for servers", [...authorityOf(), new ExtendedKeyUsageExtension(["1.3.6.1.5.5.7.3.1"])], 1],
  ["has expired", authorityOf(), -1],
] as const)("a chain leads nowhere if the certificate in between %s", async ([, usages, end]) => {
  expect(await leads([await certify(root, middle, [...usages], hours(end))])).toBe(false);
});

test("a chain is as long as the authority allows, and has at most three certificates in between", async () => {
  const code = new ExtendedKeyUsageExtension([codeSigning]);
  const below = await certify(lower, signer, []);
  const last = await certify(middle, lower, [...authorityOf(), code]);
  expect(await leads([await certify(root, middle), last], below)).toBe(true);
  expect(await leads([await certify(root, middle, authorityOf(0)), last], below)).toBe(false);
  const parties = [root, ...(await Promise.all(["1", "2", "3", "4"].map(newParty)))];
  const chain = await Promise.all(
    parties.slice(1).map((party, at) => certify(parties[at] ?? root, party)),
  );
  const end = await certify(parties.at(-1) ?? root, signer, []);
  expect(await leads(chain, end)).toBe(false);
  const shorter = await certify(parties.at(-2) ?? root, signer, []);
  expect(await leads(chain.slice(0, 3), shorter)).toBe(true);
});

test("certificates that issued each other lead nowhere, and end", async () => {
  const circle = [await certify(lower, middle), await certify(middle, lower)];
  expect(await leads(circle)).toBe(false);
  expect(await leads([await certify(middle, middle), ...circle])).toBe(false);
});

test("a certificate that only names the trusted one as its issuer does not count", async () => {
  const impostor = { ...(await newParty("root")), name: root.name };
  expect(await leads([await certify(impostor, middle)])).toBe(false);
  expect(await leads([await certify(impostor, impostor), await certify(impostor, middle)])).toBe(
    false,
  );
});
