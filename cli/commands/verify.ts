/** `platformctl verify`: prints whose signatures of an image count, and how to check that on another machine. */
import type { Command } from "commander";
import { exitCodes, Failure, refusedFailure } from "../failure.ts";
import { findImage } from "../history/found_image.ts";
import { withoutControls } from "../resources/cells.ts";
import type { JsonObject } from "../resources/flags.ts";
import { manifestUidOf } from "../resources/names.ts";
import { openPlatform } from "../resources/platform.ts";
import { explainFailure } from "../resources/refusals.ts";
import {
  checkCommand,
  checkSignedCommand,
  signedVerdictsOf,
  signedVerdictText,
  verdictsOf,
  verdictText,
} from "../resources/verdicts.ts";
import { here } from "../surroundings.ts";
import { addJsonOption, countText, type JsonOption, printAnswer } from "./answer.ts";

const description = `Print the signatures and attestations of an image that count by a trust policy,
and the commands that check them with the keys and identities of the signers.

The platform verified them when they were pushed, and again after a change of a
trust policy. With @sha256:…, the command is about that digest. Otherwise it is
about the digest that the tag points to. The exit code is 0 if a signature
counts, and 1 if none does. Attestations alone do not count.

A trust policy can have the platform sign its own verdict (sign_verdicts). The
command prints the digest of the referrer with it, and the key.`;

/** Adds `verify`. */
export function addVerify(program: Command): void {
  addJsonOption(
    program
      .command("verify")
      .summary("Print whose signatures of an image count.")
      .description(description)
      .argument(
        "<image>",
        "Image such as python:3.12, acme.example/python:3.12 or python@sha256:…",
      ),
    "platformctl verify acme.example/python:3.12",
    "platformctl verify acme.example/python:3.12 --json | jq -r '.verdicts[].trustPolicy'",
  ).action(verify);
}

async function verify(image: string, options: JsonOption): Promise<void> {
  const platform = await openPlatform();
  await explainFailure({ verb: "call", platform }, async () => {
    const { repoUid, name, digest } = await findImage(platform, image);
    const uid = manifestUidOf(repoUid, digest);
    const manifest = await platform
      .call("platform.registry.v2.ManifestsService/GetManifest", { uid })
      .catch((error) => {
        if (!(error instanceof Failure && error.code === "NOT_FOUND")) throw error;
        throw refusedFailure("NOT_FOUND", `The registry does not have ${name}@${digest}.`);
      });
    const reference = `${new URL(platform.account.registryUrl).host}/${name}@${digest}`;
    const verdicts = verdictsOf(manifest);
    const isSigned = verdicts.some(({ predicateType }) => !predicateType);
    const signedVerdicts = signedVerdictsOf(manifest);
    const { issuer } = platform.account;
    const checks = [
      ...verdicts.map((verdict) => checkCommand(verdict, reference)),
      ...signedVerdicts.map(() => checkSignedCommand(issuer, reference)),
    ];
    const answer = {
      ...{ image: reference, digest, verified: isSigned, verdicts, signedVerdicts },
      signatureCount: manifest.signatureCount ?? 0,
      ...(manifest.signatureFault ? { fault: manifest.signatureFault } : {}),
      commands: [...new Set(checks)],
    };
    printAnswer(options, answer, textOf(answer));
    if (!isSigned) here().exitCode = exitCodes.refused;
  });
}

interface Answer {
  image: string;
  verified: boolean;
  verdicts: JsonObject[];
  signedVerdicts: JsonObject[];
  signatureCount: unknown;
  fault?: unknown;
  commands: string[];
}

function textOf(answer: Answer): string {
  const { image, verified, verdicts, signedVerdicts, signatureCount, fault, commands } = answer;
  const count = Number(signatureCount);
  const stored = `${countText(count, "signature")} ${count === 1 ? "is" : "are"} stored`;
  const head = verified
    ? `${image} is signed:`
    : `${image} has no signature that counts. ${stored}${fault ? `: ${fault}` : ""}`;
  const all = [...verdicts.map(verdictText), ...signedVerdicts.map(signedVerdictText)];
  const lines = [head, ...all.map((text) => `  ${text}`)];
  if (commands.length > 0)
    lines.push("To check it yourself, run:", ...commands.map((one) => `  ${one}`));
  return lines.map(withoutControls).join("\n");
}
