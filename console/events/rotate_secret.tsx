/** The dialog that replaces the secret of a subscription. */
import { useState } from "preact/hooks";
import type { Subscription } from "../../client/index.ts";
import { useChange } from "../data/change.ts";
import { useClient } from "../data/platform.tsx";
import { Dialog } from "../elements/dialog.tsx";
import { SelectField } from "../elements/fields.tsx";
import { FormDialog } from "../elements/form_dialog.tsx";
import { SubscriptionSecret } from "./subscription_secret.tsx";

/** How long both secrets sign, as the API takes it, and in words. */
const overlaps = [
  ["3600s", "1 hour"],
  ["86400s", "24 hours"],
  ["259200s", "3 days"],
  ["604800s", "7 days"],
  ["0s", "not at all: the old secret ends at once"],
] as const;

type Overlap = (typeof overlaps)[number][0];

export function RotateSecretDialog({
  subscription: { uid },
  onClose,
}: {
  subscription: Subscription;
  onClose: () => void;
}) {
  const client = useClient();
  const [overlap, setOverlap] = useState<Overlap>("86400s");
  const [secret, setSecret] = useState<string>();
  const rotation = useChange<Overlap>({
    key: ["subscriptions"],
    // The secret stays out of the cache of the queries.
    call: async (chosen) => {
      const rotated = await client.subscriptions.rotateSubscriptionSecret({ uid, overlap: chosen });
      setSecret(rotated.secret ?? "");
    },
  });
  if (secret !== undefined) {
    const words = overlaps.find(([value]) => value === overlap)?.[1] ?? "";
    const note =
      overlap === "0s"
        ? "The old secret does not sign any more."
        : `The old secret signs too, for ${words}. Change your receiver in this time.`;
    return (
      <Dialog title="The new secret" onClose={onClose}>
        <SubscriptionSecret secret={secret} overlap={note} onDone={onClose} />
      </Dialog>
    );
  }
  return (
    <FormDialog
      title="Replace the secret"
      action="Replace"
      change={rotation}
      onSubmit={() => rotation.mutate(overlap)}
      onClose={onClose}
    >
      <p class="events-plain">
        During the overlap, each request has two signatures: one with the old secret, and one with
        the new secret. Your receiver can change from one to the other without missing an event.
      </p>
      <SelectField
        label="The old secret signs too for"
        value={overlap}
        options={overlaps}
        onChange={setOverlap}
      />
    </FormDialog>
  );
}
