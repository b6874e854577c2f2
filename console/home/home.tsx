/** The first page: what moved, what needs attention, and what is stored. */
import { useCurrentGroup } from "../data/group.ts";
import { Page } from "../elements/page.tsx";
import { DeliveriesCard, EndOfLifeCard, ExpiringCard, StorageCard } from "./attention_cards.tsx";
import { AlarmsCard, MovesCard } from "./moves_cards.tsx";
import { NoGroup } from "./no_group.tsx";

export default function Home() {
  const { uid: group, group: shown, isNone } = useCurrentGroup();
  if (isNone) return <NoGroup />;
  return (
    <Page title={shown?.name ?? "Home"}>
      <div class="home-cards">
        <MovesCard group={group} />
        <AlarmsCard group={group} />
        <ExpiringCard group={group} />
        <DeliveriesCard group={group} />
        <EndOfLifeCard group={group} />
        <StorageCard group={group} />
      </div>
    </Page>
  );
}
