# frozen_string_literal: true

# Puts the place in the application behind each statement, as a comment, while `isolens record` runs it: for pg and
# mysql2, and what is built on them. Ruby requires this file before the application.
module IsolensRecord
  ROOT = "#{File.realpath(ENV.fetch('ISOLENS_ROOT', Dir.pwd))}/"
  TEST = %r{(^|/)(test|tests|spec|features)/|_(test|spec)\.rb$|(^|/)test_[^/]*\.rb$}.freeze
  # What a runner of tests calls is a test, whatever its file is called.
  RUNNER = %r{/(minitest|rspec-core|test-unit|cucumber)[^/]*/lib/}.freeze
  FOREIGN = %r{(^|/)(gems|vendor/bundle|\.bundle)/}.freeze
  MARK = '/*isolens:'
  # Texts of one place differ in as many ways.
  VARIANTS = 16
  @count = 0
  @tests = {}

  class << self
    def comment(sql)
      own = frames
      nearest = own.find { |file, _| !test?(file) }
      return own.empty? ? '' : "#{MARK}#{written(*own.first)};;*/" unless nearest

      outermost = own.reverse.find { |file, frame| !test?(file) && name_of(frame) !~ /\A<|\Amain\z/ } || nearest
      "#{MARK}#{written(*nearest)};#{written(*outermost)};#{number(*outermost, sql)}*/"
    end

    def commented(sql)
      sql.include?(MARK) ? sql : sql + comment(sql)
    rescue StandardError => e
      warn("isolens: no call site of a statement: #{e.message}") unless @warned
      @warned = true
      sql
    end

    private

    # A call goes forward in its function; where it is behind its last place, or sends on the same line what it sent
    # there before, another call has begun.
    def number(file, frame, sql)
      key = [file, name_of(frame)]
      before = Thread.current[:isolens_call]
      if before && before[:key] == key && (before[:line] < frame.lineno || (before[:line] == frame.lineno && !before[:sent].include?(sql)))
        before[:sent].clear if before[:line] < frame.lineno
        before[:sent] << sql
        before[:line] = frame.lineno
        return before[:number]
      end
      @count += 1
      Thread.current[:isolens_call] = { key: key, line: frame.lineno, sent: [sql], number: @count % VARIANTS }
      @count % VARIANTS
    end

    # Blocks run in the method around them.
    def name_of(frame)
      frame.base_label.to_s
    end

    # Nearest first. The outermost one that a runner of tests calls is in a test's file.
    def frames
      called = nil
      own = caller_locations(3).each_with_object([]) do |frame, all|
        file = frame.absolute_path
        name = file[ROOT.length..] if file&.start_with?(ROOT)
        if name && !FOREIGN.match?(name)
          all << [name, frame]
        elsif all.any? && RUNNER.match?(file.to_s)
          called = all.last.first
        end
      end
      @tests[called] = true if called
      own
    end

    def test?(file)
      TEST.match?(file) || @tests.key?(file)
    end

    def written(file, frame)
      [escaped(file), frame.lineno, escaped(name_of(frame))].join(':')
    end

    def escaped(text)
      text.gsub(%r{[^A-Za-z0-9_./-]}) { |letter| letter.bytes.map { |byte| format('~%02X', byte) }.join }
    end
  end

  # Statements that were prepared are sent with their text again, so that each execution tells its own place.
  module Postgres
    %i[exec async_exec query async_query send_query].each do |name|
      define_method(name) { |sql, *rest, &block| super(IsolensRecord.commented(sql), *rest, &block) }
    end
    %i[exec_params async_exec_params].each do |name|
      define_method(name) { |sql, *rest, &block| super(IsolensRecord.commented(sql), *rest, &block) }
    end
    %i[prepare async_prepare].each do |name|
      define_method(name) do |statement, sql, *rest|
        (@isolens_texts ||= {})[statement] = sql if rest.empty?
        super(statement, sql, *rest)
      end
    end
    %i[exec_prepared async_exec_prepared].each do |name|
      define_method(name) do |statement, *rest, &block|
        sql = @isolens_texts && @isolens_texts[statement]
        sql ? exec_params(sql, *rest, &block) : super(statement, *rest, &block)
      end
    end
  end

  module Mysql
    def query(sql, *rest)
      super(IsolensRecord.commented(sql), *rest)
    end
  end

  module Requires
    def require(name)
      super.tap { IsolensRecord.attach if %w[pg mysql2].include?(name) }
    end
  end

  # No object answers to `require` that did not before. A method of its own, since others make aliases of it.
  module PrivateRequires
    private

    def require(name)
      super.tap { IsolensRecord.attach if %w[pg mysql2].include?(name) }
    end
  end

  def self.attach
    PG::Connection.prepend(Postgres) if defined?(PG::Connection.instance_method) && !(PG::Connection < Postgres)
    Mysql2::Client.prepend(Mysql) if defined?(Mysql2::Client.instance_method) && !(Mysql2::Client < Mysql)
  end
end

Object.prepend(IsolensRecord::PrivateRequires)
Kernel.singleton_class.prepend(IsolensRecord::Requires)
