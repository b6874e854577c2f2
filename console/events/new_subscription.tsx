/** The dialog that creates a subscription, and then shows its secret. */
import { useState } from "preact/hooks";
import { useLocation } from "wouter-preact";
import { useChange } from "../data/change.ts";
import { useClient } from "../data/platform.tsx";
import { Dialog } from "../elements/dialog.tsx";
import { FormDialog } from "../elements/form_dialog.tsx";
import { addresses } from "../frame/addresses.ts";
import {
  emptyDraft,
  type SubscriptionDraft,
  SubscriptionFields,
  subscriptionPaths,
} from "./subscription_fields.tsx";
import { SubscriptionSecret } from "./subscription_secret.tsx";

/** Creates a subscription for the events of the group, and then shows it. */
export function NewSubscriptionDialog({ group, onClose }: { group: string; onClose: () => void }) {
  const client = useClient();
  const [, navigate] = useLocation();
  const [draft, setDraft] = useState(emptyDraft);
  const [created, setCreated] = useState<{ uid: string; secret: string }>();
  const creation = useChange<SubscriptionDraft>({
    key: ["subscriptions"],
    // The secret stays out of the cache of the queries.
    call: async ({ sink, tagPattern, ...filters }) => {
      const { uid, secret = "" } = await client.subscriptions.create(group, {
        sink: sink.trim(),
        tagPattern: tagPattern.trim(),
        ...filters,
      });
      setCreated({ uid, secret });
    },
  });
  if (created) {
    const show = () => {
      onClose();
      navigate(addresses.subscription(created.uid));
    };
    return (
      <Dialog title="The subscription is active" onClose={show}>
        <SubscriptionSecret secret={created.secret} onDone={show} />
      </Dialog>
    );
  }
  return (
    <FormDialog
      title="New subscription"
      action="Create"
      change={creation}
      fields={subscriptionPaths}
      onSubmit={() => creation.mutate(draft)}
      onClose={onClose}
    >
      <SubscriptionFields group={group} draft={draft} onChange={setDraft} error={creation.error} />
    </FormDialog>
  );
}
