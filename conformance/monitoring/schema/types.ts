// What a dashboard may be in JSON: Grafana's own types, with the options of each kind of panel that is used
// in place of "any object".
import type { Dashboard, DataSourceRef, FieldConfigSource, Panel, RowPanel } from '@grafana/schema';
import type * as stat from '@grafana/schema/dist/esm/raw/composable/stat/panelcfg/x/StatPanelCfg_types.gen';
import type * as table from '@grafana/schema/dist/esm/raw/composable/table/panelcfg/x/TablePanelCfg_types.gen';
import type * as timeseries from '@grafana/schema/dist/esm/raw/composable/timeseries/panelcfg/x/TimeSeriesPanelCfg_types.gen';

// Query is what the Prometheus data source takes. Grafana publishes no small package with it.
interface Query {
  datasource: DataSourceRef;
  editorMode: 'code';
  expr: string;
  format?: 'table';
  instant?: boolean;
  legendFormat?: string;
  range?: boolean;
  refId: string;
}

// Of is a panel of one kind. Grafana's field options allow any member besides their own, which Omit takes
// away.
type Of<Kind extends string, Options, Custom> = Omit<Panel, 'type' | 'options' | 'fieldConfig' | 'targets'> & {
  type: Kind;
  options: Options;
  targets: Query[];
  fieldConfig: Omit<FieldConfigSource, 'defaults'> & {
    defaults: Omit<FieldConfigSource['defaults'], 'custom'> & { custom?: Custom };
  };
};

type Panels =
  | Of<'stat', stat.Options, never>
  | Of<'table', table.Options, Partial<table.FieldConfig>>
  | Of<'timeseries', timeseries.Options, timeseries.FieldConfig>;

// Plain has the values of enumerations in place of their names.
type Plain<T> = T extends string ? `${T}` : T extends number ? (`${T}` extends `${infer N extends number}` ? N : T) : T extends object ? { [K in keyof T]: Plain<T[K]> } : T;

export type Literal = Plain<Omit<Dashboard, 'panels'> & { panels: (Panels | (Omit<RowPanel, 'panels'> & { panels: [] }))[] }>;
