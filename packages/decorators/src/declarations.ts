import type {
  AnyPropertyType,
  ChildrenDefinition,
  IndexDefinition,
  KeyPartDefinition,
  KindDefinition,
  TableOptions,
} from "@partita/core/models";
import type { UpgradeChain } from "@partita/core/upgrades";

/** The declarations of one class, without those of its ancestors. */
export interface Declarations {
  table?: string;
  tableOptions?: TableOptions;
  create?: () => object;
  kind?: KindDefinition;
  version?: number | UpgradeChain;
  readonly partitionKey: KeyPartDefinition[];
  readonly rowKey: KeyPartDefinition[];
  readonly properties: Map<string, AnyPropertyType>;
  readonly children: ChildrenDefinition[];
  readonly indexes: IndexDefinition[];
  /** Properties that are not stored. */
  readonly notStored: string[];
  etagProperty?: string;
  timestampProperty?: string;
}
