/** Texts that can be copied. */
import { useEffect, useState } from "preact/hooks";
import { shortDigest } from "../data/digests.ts";
import { lastStep } from "../data/uids.ts";
import { Icon } from "./icon.tsx";

/** A button that copies a text. `what` names it for the label, such as `digest`. */
export function CopyButton({ text, what }: { text: string; what: string }) {
  const [isCopied, setCopied] = useState(false);
  useEffect(() => {
    if (!isCopied) return;
    const timer = setTimeout(() => setCopied(false), 1_500);
    return () => clearTimeout(timer);
  }, [isCopied]);
  return (
    <button
      type="button"
      class="copy-button"
      aria-label={`Copy the ${what}`}
      onClick={async (event) => {
        event.stopPropagation();
        await navigator.clipboard.writeText(text);
        setCopied(true);
      }}
    >
      <Icon name={isCopied ? "check" : "copy"} />
      <span class="out-of-sight" role="status">
        {isCopied ? "Copied" : ""}
      </span>
    </button>
  );
}

/** The first characters of a digest. The whole digest can be copied, and appears when the pointer is on it. */
export function Digest({ digest }: { digest: string }) {
  return (
    <span class="copyable">
      <code title={digest}>{shortDigest(digest)}</code>
      <CopyButton text={digest} what="digest" />
    </span>
  );
}

/** A uid, of which the last part is visible. */
export function Uid({ uid }: { uid: string }) {
  const last = lastStep(uid);
  return (
    <span class="copyable">
      <code title={uid}>{last.length > 16 ? `${last.slice(0, 12)}…` : last}</code>
      <CopyButton text={uid} what="uid" />
    </span>
  );
}

/** A command or a reference on a line of its own. */
export function CopyLine({ text, what }: { text: string; what: string }) {
  return (
    <div class="copy-line">
      <code>{text}</code>
      <CopyButton text={text} what={what} />
    </div>
  );
}
