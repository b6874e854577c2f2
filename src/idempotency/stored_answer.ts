/** How the answer of a call is stored for its repetitions. */
import {
  type DescMessage,
  fromBinary,
  type Message,
  type MessageShape,
  toBinary,
} from "@bufbuild/protobuf";
import { isInputOnly } from "../../schema/options.ts";
import type { AnswerForm } from "../../schema/tables/platform/idempotency_keys.ts";
import { fromBase64, toBase64 } from "../aip/base64.ts";
import { gunzipLimited } from "../aip/bounded_body.ts";
import { answerNotKept } from "../aip/errors.ts";
import { gzip } from "../aip/gzip.ts";
import { seal, unseal } from "../auth/secrets.ts";
import type { Config } from "../config.ts";

export interface StoredAnswer {
  form: AnswerForm;
  answer: string | null;
}

/** The most characters of a stored answer. */
const maxStoredLength = 64 * 1024;

/** Longer answers, in bytes, are compressed. */
const maxPlainBytes = 2048;

/** No answer has more bytes. */
const maxBytes = 8 * 1024 * 1024;

const secretMessages = new WeakMap<DescMessage, boolean>();

/** Whether an answer can contain a secret: a field that must not appear in logs (`debug_redact`), and that answers have. */
export function hasSecret(desc: DescMessage): boolean {
  const known = secretMessages.get(desc);
  if (known !== undefined) return known;
  // A message can contain itself.
  secretMessages.set(desc, false);
  const found = desc.fields.some(
    (field) =>
      (field.proto.options?.debugRedact && !isInputOnly(field)) ||
      (field.message && hasSecret(field.message)),
  );
  secretMessages.set(desc, found);
  return found;
}

const purposeOf = (key: string) => `idempotent_answer ${key}`;

/** The form in which an answer is stored. `key` is the digest of the idempotency key. */
export async function storedAnswer(
  config: Config,
  key: string,
  desc: DescMessage,
  answer: Message,
): Promise<StoredAnswer> {
  const bytes = toBinary(desc, answer as MessageShape<DescMessage>);
  if (hasSecret(desc)) {
    if (config.encryptionKeys.length === 0) return { form: "secret", answer: null };
    return bounded("sealed", await seal(config, purposeOf(key), toBase64(bytes)));
  }
  if (bytes.length <= maxPlainBytes) return bounded("plain", toBase64(bytes));
  return bounded("gzip", toBase64(await gzip(bytes)));
}

const bounded = (form: AnswerForm, answer: string): StoredAnswer =>
  answer.length > maxStoredLength ? { form: "large", answer: null } : { form, answer };

/** Reads a stored answer. Throws FAILED_PRECONDITION if it was not stored, or if no key decrypts it. */
export async function readAnswer(
  config: Config,
  key: string,
  desc: DescMessage,
  { form, answer }: StoredAnswer,
): Promise<Message> {
  if (form === "large") throw answerNotKept("its answer is too large to be kept");
  if (answer === null) throw answerNotKept("its answer contains a secret, which cannot be kept");
  return fromBinary(desc, await bytesOf(config, key, form, answer));
}

async function bytesOf(config: Config, key: string, form: AnswerForm, answer: string) {
  if (form === "sealed") {
    const opened =
      config.encryptionKeys.length > 0 ? await unseal(config, purposeOf(key), answer) : undefined;
    if (opened === undefined)
      throw answerNotKept("its answer contains a secret that can no longer be decrypted");
    return fromBase64(opened);
  }
  const bytes = new Uint8Array(fromBase64(answer));
  if (form !== "gzip") return bytes;
  const damaged = () => new Error("the stored answer of an idempotency key is damaged");
  return gunzipLimited(bytes, maxBytes, damaged, damaged);
}
