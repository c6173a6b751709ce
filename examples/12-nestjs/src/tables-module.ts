import { type DynamicModule, Inject, Module, type OnApplicationShutdown, Scope } from "@nestjs/common";
import {
  createTables,
  type EntityClass,
  type OpenOptions,
  openStorage,
  TableContext,
  type TableStorage,
} from "@partita/core";

/** The injection token of the application's storage. */
const STORAGE = Symbol("STORAGE");

/** The address of the tables. */
export interface TablesOptions extends OpenOptions {
  readonly target: string;
}

/** One storage for the application, and a context for each request. */
@Module({})
export class TablesModule implements OnApplicationShutdown {
  constructor(@Inject(STORAGE) private readonly storage: TableStorage) {}

  /** For the application's module: opens the storage, and closes it with the application. */
  static forRoot({ target, ...options }: TablesOptions): DynamicModule {
    return {
      module: TablesModule,
      global: true,
      providers: [
        { provide: STORAGE, useFactory: () => openStorage(target, options) },
        {
          provide: TableContext,
          scope: Scope.REQUEST,
          inject: [STORAGE],
          useFactory: (storage: TableStorage) => new TableContext(storage),
        },
      ],
      exports: [STORAGE, TableContext],
    };
  }

  /** For a module with its own classes: creates their tables before the application listens. */
  static forFeature(classes: readonly EntityClass[]): DynamicModule {
    const ready = Symbol("tables are created");
    return {
      module: class TablesOfFeature {},
      providers: [
        {
          provide: ready,
          inject: [STORAGE],
          useFactory: async (storage: TableStorage) => {
            await createTables(storage, classes);
            return true;
          },
        },
      ],
    };
  }

  async onApplicationShutdown(): Promise<void> {
    await this.storage.close();
  }
}
