//! Statements of SQL that are parsed. Those that are not named here are not read.

use std::ops::ControlFlow;

use sqlparser::ast::{
    AlterTableOperation, BinaryOperator, ContextModifier, CopyTarget, Expr, Function, FunctionArg,
    FunctionArgExpr, FunctionArguments, Ident, ObjectName, ObjectNamePart, Query, Select, Set,
    Statement, TableFactor, TableObject, Value, Visit, Visitor, visit_expressions,
};

use super::{call, call_with, unread};
use crate::model::Dialect;
use crate::syntax::{Argument, Code};

/// Tells what statements do, and what they call.
pub(super) fn lower(statements: &[Statement], dialect: Dialect, calls: &mut Vec<Code>) {
    for statement in statements {
        let mut walk = Walk { dialect, explained: 0, calls: &mut *calls };
        // It never breaks off.
        let _ = statement.visit(&mut walk);
    }
}

struct Walk<'c> {
    dialect: Dialect,
    /// How many statements around this one are only explained, and not run.
    explained: usize,
    calls: &'c mut Vec<Code>,
}

impl Visitor for Walk<'_> {
    type Break = ();

    fn pre_visit_statement(&mut self, statement: &Statement) -> ControlFlow<()> {
        if self.explained == 0 {
            self.statement(statement);
        }
        self.explained += usize::from(only_explains(statement));
        ControlFlow::Continue(())
    }

    fn post_visit_statement(&mut self, statement: &Statement) -> ControlFlow<()> {
        self.explained -= usize::from(only_explains(statement));
        ControlFlow::Continue(())
    }

    fn pre_visit_query(&mut self, query: &Query) -> ControlFlow<()> {
        if !query.locks.is_empty() && self.explained == 0 {
            self.does(":change");
        }
        ControlFlow::Continue(())
    }

    fn pre_visit_select(&mut self, select: &Select) -> ControlFlow<()> {
        if select.into.is_some() && self.explained == 0 {
            self.does(":change");
        }
        ControlFlow::Continue(())
    }

    fn pre_visit_relation(&mut self, relation: &ObjectName) -> ControlFlow<()> {
        if let Some(file) = self.file(relation) {
            self.calls.push(call(":file-read", vec![Argument::plain(self.text(&file))]));
        }
        ControlFlow::Continue(())
    }

    fn pre_visit_table_factor(&mut self, table: &TableFactor) -> ControlFlow<()> {
        match table {
            TableFactor::Table { name, args: Some(args), .. } => self.function(name, &args.args),
            TableFactor::Function { name, args, .. } => self.function(name, args),
            _ => {}
        }
        ControlFlow::Continue(())
    }

    fn pre_visit_expr(&mut self, expression: &Expr) -> ControlFlow<()> {
        if let Expr::Function(function) = expression {
            self.called(function);
        }
        ControlFlow::Continue(())
    }
}

impl Walk<'_> {
    fn does(&mut self, name: &str) {
        self.calls.push(call(name, Vec::new()));
    }

    fn statement(&mut self, statement: &Statement) {
        use Statement as S;
        let does = match statement {
            S::Query(_)
            | S::Explain { .. }
            | S::ExplainTable { .. }
            | S::ShowFunctions { .. }
            | S::ShowVariable { .. }
            | S::ShowStatus { .. }
            | S::ShowVariables { .. }
            | S::ShowCreate { .. }
            | S::ShowColumns { .. }
            | S::ShowCatalogs { .. }
            | S::ShowDatabases { .. }
            | S::ShowProcessList { .. }
            | S::ShowSchemas { .. }
            | S::ShowCharset(_)
            | S::ShowObjects(_)
            | S::ShowTables { .. }
            | S::ShowViews { .. }
            | S::ShowCollation { .. }
            | S::Use(_)
            | S::Commit { .. }
            | S::Rollback { .. }
            | S::Savepoint { .. }
            | S::ReleaseSavepoint { .. }
            | S::DetachDuckDBDatabase { .. }
            | S::Deallocate { .. }
            | S::Close { .. }
            | S::Fetch { .. } => ":read",
            // What stands in a block is visited by itself.
            S::StartTransaction { exception: None, .. } => ":read",
            S::Insert(insert) if insert.overwrite => ":destroy",
            S::Insert(insert) => {
                if let TableObject::TableFunction(function) = &insert.table {
                    self.called(function);
                }
                ":change"
            }
            S::Update(update) if is_everything(update.selection.as_ref()) => ":destroy",
            S::Delete(delete) if is_everything(delete.selection.as_ref()) => ":destroy",
            S::Call(function) => {
                self.called(function);
                ":change"
            }
            S::Update(_)
            | S::Delete(_)
            | S::Merge(_)
            | S::CreateView(_)
            | S::CreateIndex(_)
            | S::CreateRole(_)
            | S::CreateVirtualTable { .. }
            | S::CreateSecret { .. }
            | S::CreateServer(_)
            | S::CreatePolicy(_)
            | S::CreateExtension(_)
            | S::CreateSchema { .. }
            | S::CreateDatabase { .. }
            | S::CreateFunction(_)
            | S::CreateTrigger(_)
            | S::CreateProcedure { .. }
            | S::CreateMacro { .. }
            | S::CreateSequence { .. }
            | S::CreateDomain(_)
            | S::CreateType { .. }
            | S::AlterSchema(_)
            | S::AlterIndex { .. }
            | S::AlterView { .. }
            | S::AlterFunction(_)
            | S::AlterType(_)
            | S::AlterRole { .. }
            | S::AlterPolicy(_)
            | S::RenameTable(_)
            | S::Comment { .. }
            | S::Grant(_)
            | S::Deny(_)
            | S::Revoke(_)
            | S::Analyze(_)
            | S::Vacuum(_)
            | S::OptimizeTable { .. }
            | S::Flush { .. }
            | S::Lock(_)
            | S::LockTables { .. }
            | S::UnlockTables
            | S::Kill { .. }
            | S::NOTIFY { .. } => ":change",
            S::CreateTable(table) if table.or_replace => ":destroy",
            S::CreateTable(_) => ":change",
            S::AlterTable(alter) if alter.operations.iter().any(drops) => ":destroy",
            S::AlterTable(_) => ":change",
            S::Truncate(_)
            | S::Drop { .. }
            | S::DropFunction(_)
            | S::DropDomain(_)
            | S::DropProcedure { .. }
            | S::DropSecret { .. }
            | S::DropPolicy(_)
            | S::DropExtension(_)
            | S::DropOperator(_)
            | S::DropOperatorFamily(_)
            | S::DropOperatorClass(_)
            | S::DropTrigger(_)
            | S::DropConnector { .. } => ":destroy",
            S::Set(set) => return self.set(set),
            S::Pragma { name, value, .. } => {
                let sign = if value.is_some() { "=" } else { "" };
                return self.does(&format!("pragma.{}{sign}", last(name)));
            }
            S::AttachDatabase { database_file_name, .. } => {
                let file = self.value(database_file_name);
                return self.attach(file);
            }
            S::AttachDuckDBDatabase { database_path, .. } => {
                let file = self.text(&database_path.value);
                return self.attach(file);
            }
            S::Copy { to, target, .. } => return self.copy(*to, target),
            // Whether it is run is not known, so it counts as run: it is visited by itself.
            S::Prepare { .. } => ":read",
            _ => return self.calls.push(unread()),
        };
        self.does(does);
    }

    /// Opens another file as a database. `postgres:…`, `host=x dbname=y` and `file:x?mode=rwc` are no names of files.
    fn attach(&mut self, file: Code) {
        let is_plain = |text: &str| text == ":memory:" || !text.contains([':', '=']);
        self.calls.push(match &file {
            Code::Text(text) if !is_plain(text) => unread(),
            _ => call(":attach", vec![Argument::plain(file)]),
        });
    }

    fn set(&mut self, set: &Set) {
        let mut one = |scope: Option<&ContextModifier>, name: &ObjectName| {
            let name = whole(name);
            let is_global = matches!(scope, Some(ContextModifier::Global))
                || ["@@global.", "@@persist"].iter().any(|scope| name.starts_with(scope));
            let bare = name.trim_start_matches("@@session.").trim_start_matches("@@");
            match name.as_str() {
                _ if is_global => self.does(":change"),
                // A variable of the statements' own.
                own if own.starts_with('@') && !own.starts_with("@@") => {}
                _ => self.does(&format!("set.{bare}")),
            }
        };
        match set {
            Set::SingleAssignment { scope, variable, hivevar: false, .. } => {
                one(scope.as_ref(), variable);
            }
            Set::MultipleAssignments { assignments } => {
                for assignment in assignments {
                    one(assignment.scope.as_ref(), &assignment.name);
                }
            }
            Set::SetTimeZone { .. }
            | Set::SetNames { .. }
            | Set::SetNamesDefault {}
            | Set::SetTransaction { .. } => self.does(":read"),
            _ => self.calls.push(unread()),
        }
    }

    fn copy(&mut self, to: bool, target: &CopyTarget) {
        let file = match target {
            CopyTarget::Stdin | CopyTarget::Stdout => None,
            CopyTarget::File { filename } => Some(self.text(filename)),
            CopyTarget::Program { command } => {
                self.calls.push(call_with(":shell", command));
                self.does(":change");
                return;
            }
        };
        self.does(if to { ":read" } else { ":change" });
        let Some(file) = file else { return };
        let name = if to { ":file-write" } else { ":file-read" };
        self.calls.push(call(name, vec![Argument::plain(file)]));
        // Other databases than DuckDB, which runs here, do so where they run.
        if to && self.dialect != Dialect::DuckDb {
            self.does(":change");
        }
    }

    fn called(&mut self, function: &Function) {
        match &function.args {
            FunctionArguments::None => self.function(&function.name, &[]),
            FunctionArguments::Subquery(_) => {
                let given = vec![Argument::plain(Code::Data)];
                self.calls.push(call(&named(&function.name), given));
            }
            FunctionArguments::List(list) => self.function(&function.name, &list.args),
        }
    }

    fn function(&mut self, name: &ObjectName, arguments: &[FunctionArg]) {
        let name = named(name);
        // `read_csv(['a', 'b'])` reads each of them.
        let first = match arguments.first() {
            Some(FunctionArg::Unnamed(FunctionArgExpr::Expr(Expr::Array(array)))) => {
                array.elem.as_slice()
            }
            _ => &[],
        };
        let given = |walk: &Self, first: Option<&Expr>| -> Vec<Argument> {
            let all = arguments.iter().enumerate();
            all.map(|(at, argument)| walk.argument(argument, first.filter(|_| at == 0))).collect()
        };
        if first.is_empty() {
            self.calls.push(call(&name, given(self, None)));
        }
        for one in first {
            self.calls.push(call(&name, given(self, Some(one))));
        }
    }

    fn argument(&self, argument: &FunctionArg, instead: Option<&Expr>) -> Argument {
        let value = |given: &FunctionArgExpr| match (instead, given) {
            (Some(instead), _) => self.value(instead),
            (None, FunctionArgExpr::Expr(given)) => self.value(given),
            (None, _) => Code::Data,
        };
        match argument {
            FunctionArg::Unnamed(given) => Argument::plain(value(given)),
            FunctionArg::Named { name, arg, .. } => Argument {
                name: Some(name.value.to_ascii_lowercase()),
                spread: false,
                value: value(arg),
            },
            FunctionArg::ExprNamed { name, arg, .. } => {
                let name = match name {
                    Expr::Identifier(name) => name.value.to_ascii_lowercase(),
                    _ => String::new(),
                };
                Argument { name: Some(name), spread: false, value: value(arg) }
            }
        }
    }

    /// What is known of an expression.
    fn value(&self, expression: &Expr) -> Code {
        match expression {
            Expr::Value(value) => match &value.value {
                Value::SingleQuotedString(text)
                | Value::DoubleQuotedString(text)
                | Value::EscapedStringLiteral(text) => self.text(text),
                Value::DollarQuotedString(text) => self.text(&text.value),
                Value::Number(..) => Code::Number,
                Value::Boolean(flag) => Code::Flag(*flag),
                _ => Code::Data,
            },
            Expr::Nested(inner) => self.value(inner),
            Expr::Cast { expr, .. } => self.value(expr),
            Expr::BinaryOp { left, op: BinaryOperator::StringConcat, right } => {
                Code::Joined(vec![self.value(left), self.value(right)])
            }
            _ => Code::Data,
        }
    }

    /// Text; as the name of a file, DuckDB takes it for a pattern, with the home for `~`.
    fn text(&self, text: &str) -> Code {
        let mut code = Code::Text(text.to_owned());
        if self.dialect == Dialect::DuckDb && text.starts_with('~') {
            code = call(":home", vec![Argument::plain(code)]);
        }
        if self.dialect == Dialect::DuckDb && text.contains(['*', '?', '[']) {
            code = call(":pattern", vec![Argument::plain(code)]);
        }
        code
    }

    /// The file that stands in the place of a table.
    fn file(&self, name: &ObjectName) -> Option<String> {
        let parts: Vec<&Ident> = name.0.iter().filter_map(ObjectNamePart::as_ident).collect();
        let last = parts.last()?;
        let may_be_file = matches!(self.dialect, Dialect::DuckDb | Dialect::Any);
        let extension = last.value.to_ascii_lowercase();
        let is_file = last.quote_style == Some('\'')
            || (self.dialect == Dialect::DuckDb
                && (last.value.contains(['.', '/', ':', '*', '~'])
                    || (parts.len() > 1 && FILES.contains(&extension.as_str()))));
        let values: Vec<&str> = parts.iter().map(|part| part.value.as_str()).collect();
        (may_be_file && is_file).then(|| values.join("."))
    }
}

/// What names of files that DuckDB reads end with.
const FILES: &[&str] = &["csv", "tsv", "txt", "parquet", "json", "jsonl", "ndjson", "xlsx", "db"];

/// Whether a statement shows how another would be run, and does not run it.
fn only_explains(statement: &Statement) -> bool {
    match statement {
        Statement::Explain { analyze, options, .. } => {
            let options = options.iter().flatten();
            !analyze && !options.into_iter().any(|it| it.name.value.eq_ignore_ascii_case("analyze"))
        }
        _ => false,
    }
}

/// Whether a condition leaves out nothing: there is none, or it asks nothing of the row.
fn is_everything(condition: Option<&Expr>) -> bool {
    let Some(condition) = condition else { return true };
    let asks = |expression: &Expr| match expression {
        Expr::Value(_)
        | Expr::Nested(_)
        | Expr::BinaryOp { .. }
        | Expr::UnaryOp { .. }
        | Expr::IsTrue(_)
        | Expr::IsNotNull(_)
        | Expr::Between { .. }
        | Expr::InList { .. }
        | Expr::Like { .. }
        | Expr::Cast { .. } => ControlFlow::Continue(()),
        _ => ControlFlow::Break(()),
    };
    visit_expressions(condition, asks).is_continue()
}

/// Whether a change of a table drops some of its data.
const fn drops(operation: &AlterTableOperation) -> bool {
    use AlterTableOperation as A;
    matches!(
        operation,
        A::DropColumn { .. }
            | A::DropPartitions { .. }
            | A::DropConstraint { .. }
            | A::DropPrimaryKey { .. }
            | A::DropForeignKey { .. }
            | A::DropIndex { .. }
            | A::DropProjection { .. }
            | A::ClearProjection { .. }
            | A::DropClusteringKey
            | A::DetachPartition { .. }
    )
}

/// The name of a function as the sheet has it; one of the database's owner has a schema, or capitals in quotes.
fn named(name: &ObjectName) -> String {
    let parts: Option<Vec<&Ident>> = name.0.iter().map(ObjectNamePart::as_ident).collect();
    let parts = parts.unwrap_or_default();
    let own = match parts.as_slice() {
        [one] => Some(one),
        [schema, one] if schema.value.eq_ignore_ascii_case("pg_catalog") => Some(one),
        _ => None,
    };
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    match own {
        Some(one) if !one.value.is_empty() && one.value.chars().all(is_part) => {
            let folds = one.quote_style.is_none() || one.value == one.value.to_ascii_lowercase();
            if folds { one.value.to_ascii_lowercase() } else { ":unread".to_owned() }
        }
        _ => ":unread".to_owned(),
    }
}

/// The last part of a name, in small letters.
fn last(name: &ObjectName) -> String {
    let last = name.0.last().and_then(ObjectNamePart::as_ident);
    last.map(|last| last.value.to_ascii_lowercase()).unwrap_or_default()
}

fn whole(name: &ObjectName) -> String {
    let parts = name.0.iter().filter_map(ObjectNamePart::as_ident);
    let parts: Vec<String> = parts.map(|part| part.value.to_ascii_lowercase()).collect();
    parts.join(".")
}
