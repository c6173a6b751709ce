import { type DynamicModule, Inject, Module, type OnApplicationShutdown, Scope } from "@nestjs/common";
import {
  createTables,
  type EntityClass,
  type OpenOptions,
  openStorage,
  TableContext,
  type TableStorage,
} from "@partita/core";

/** What the storage of the application is injected by. */
const STORAGE = Symbol("STORAGE");

/** Where the tables are. */
export interface TablesOptions extends OpenOptions {
  readonly target: string;
}

/** One storage for the application, and a context of its own for each request. */
@Module({})
export class TablesModule implements OnApplicationShutdown {
  constructor(@Inject(STORAGE) private readonly storage: TableStorage) {}

  /** In the module of the application: opens the storage, and closes it with the application. */
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

  /** In a module that has classes of its own: creates their tables before the application listens. */
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
