/** The dialog that sends the events of a period again. */
import { useState } from "preact/hooks";
import type { Subscription } from "../../client/index.ts";
import { useChange } from "../data/change.ts";
import { useClient } from "../data/platform.tsx";
import { formatCount } from "../elements/bytes.ts";
import { FormDialog } from "../elements/form_dialog.tsx";
import { useNotify } from "../elements/notices.tsx";
import { TimeField } from "../elements/time_field.tsx";

const hour = 3_600_000;

/** The period begins when the subscription was disabled, otherwise an hour ago. */
const firstSince = ({ failingSince, disableTime }: Subscription) =>
  disableTime ?? failingSince ?? new Date(Date.now() - hour).toISOString();

export function RedeliverPeriodDialog({
  subscription,
  onClose,
}: {
  subscription: Subscription;
  onClose: () => void;
}) {
  const client = useClient();
  const notify = useNotify();
  const [since, setSince] = useState(() => firstSince(subscription));
  const [before, setBefore] = useState("");
  const change = useChange<{ since: string; before?: string }>({
    key: ["deliveries"],
    call: async (period) => {
      const { eventCount = 0 } = await client.subscriptions.redeliverEvents({
        uid: subscription.uid,
        ...period,
      });
      notify({
        text:
          eventCount === 1
            ? "1 event is sent again."
            : `${formatCount(eventCount)} events are sent again.`,
      });
      onClose();
    },
  });
  return (
    <FormDialog
      title="Send a period again"
      action="Send again"
      change={change}
      onSubmit={() => change.mutate({ since, ...(before === "" ? {} : { before }) })}
      onClose={onClose}
    >
      <p class="events-plain">
        Sends all events of the period that match the filters, whether or not they were delivered
        before. Each has the id that it had before, so your receiver can recognize repeats. A period
        can contain 10,000 events.
      </p>
      <TimeField label="From" value={since} onChange={setSince} required />
      <TimeField label="To" value={before} onChange={setBefore} hint="Empty for now." />
    </FormDialog>
  );
}
